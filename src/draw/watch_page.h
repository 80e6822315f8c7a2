// The page of `heed watch`.
#pragma once

#include <string>

namespace heed::draw {

/// One HTML page, complete but for the numbers: it asks its server for `snapshot.json` every other
/// second, and for `validation.json?run=ID&update=N` where a validation is looked at. Runs with
/// their state, learning curves, and for each validation its samples and the attention of one
/// sentence.
std::string watch_page();

}  // namespace heed::draw
