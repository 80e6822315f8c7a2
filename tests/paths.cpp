#include "paths.h"

namespace heed::paths {

const char* const kSource = HEED_SOURCE_DIR;
const char* const kHeed = HEED_BINARY;
const char* const kServed = HEED_SERVED;
const char* const kPython = HEED_PYTHON;

}  // namespace heed::paths
