// The limit of a processor's products: multiply-adds of numbers that never leave its registers.
#pragma once

namespace heed::bench {

/// GFLOP/s in fp32 of all threads together, each with the widest vectors that heed's loops use
/// here: two for a multiply-add. No product can be faster at the clock of the moment. The best of
/// some short runs.
double multiply_add_gflops();

}  // namespace heed::bench
