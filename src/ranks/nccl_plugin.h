// The interface between heed and its NCCL library.
#pragma once

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace heed::ranks {

constexpr const char* kNcclPlugin = "libheed_nccl.so";
constexpr const char* kMakeNccl = "heed_make_nccl_1";  // ends with the version of this agreement

/// A ProcessGroupNCCL with one reference, the caller's; exchanges that take longer than
/// `milliseconds` fail.
using MakeNccl = c10d::Backend* (*)(c10d::Store* store, int rank, int size, long milliseconds);

}  // namespace heed::ranks
