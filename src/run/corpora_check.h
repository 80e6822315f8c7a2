// Finds what would prevent a training in its corpora.
#pragma once

namespace heed::run {

struct Check;         // run/check.h
struct CheckOptions;  // run/check.h
struct Config;        // run/config.h

/// The part of check_run() for corpora: looks at every corpus of `config`: files there, as many
/// lines on both sides, text in them, some pairs left by limits and weights. Returns whether all
/// training corpora can be read.
bool check_corpora(const Config& config, const CheckOptions& options, Check& found);

}  // namespace heed::run
