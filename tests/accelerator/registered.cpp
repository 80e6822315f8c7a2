// The simulated accelerator is there before main() begins.
#include "accelerator/device.h"

namespace heed::accelerator {
namespace {

const bool registered = (register_device(), true);

}  // namespace
}  // namespace heed::accelerator
