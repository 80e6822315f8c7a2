// The sources of which this program was built.
#pragma once

namespace heed::run {

/// `git describe --always --dirty` when they were compiled; "unknown" without git.
const char* commit();

}  // namespace heed::run
