// The LibTorch whose libraries a program has found may be another one than that with whose headers
// it was compiled. Between 2.11 and 2.12 the layout of classes may differ, and a program that
// starts all the same would compute with what lies elsewhere.
#pragma once

#include <cstdint>
#include <string>

namespace heed::kernels {

/// Says why a program that was compiled with headers of the version `compiled` cannot use libraries
/// of the version `found` in `folder`, and what to do; "" where it can, which is with the same
/// major and minor version. Versions are numbers as TORCH_ABI_VERSION: major, minor and patch are
/// the highest bytes.
std::string why_not_libtorch(uint64_t compiled, uint64_t found, const std::string& folder);

/// Throws Failure unless the libraries of this process are those of the headers.
void require_libtorch_of_headers();

}  // namespace heed::kernels
