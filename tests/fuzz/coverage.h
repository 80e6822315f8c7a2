// Which inputs reach code that none before them reached.
#pragma once

namespace heed::fuzz {

/// Forgets the path so far; the next input begins.
void begin_path();

/// Whether the path since begin_path() has a step that no path had before. Always false where the
/// code was compiled without -fsanitize-coverage=trace-pc.
bool path_is_new();

}  // namespace heed::fuzz
