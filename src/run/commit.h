// Which sources this program was built of.
#pragma once

namespace heed::run {

/// `git describe --always --dirty` of the sources when they were compiled; "unknown" without git.
const char* commit();

}  // namespace heed::run
