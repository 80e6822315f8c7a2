// A scorer for tests that are about something else than its scores.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "temporary_folder.h"

namespace heed {

/// As long as it lives, heed runs a shell script in place of sacrebleu, which takes half a second
/// to start. Its scores follow from the texts: equal texts have equal scores, and others have,
/// but for chance, other ones. There is one at a time.
class QuickScorer {
 public:
  QuickScorer() {
    outer() = scorer();
    lives() = true;
    const std::string program = folder_.write("sacrebleu", kScript);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    set_scorer(program);
  }
  ~QuickScorer() {
    set_scorer(outer());
    lives() = false;
  }
  QuickScorer& operator=(QuickScorer&&) = delete;

 private:
  friend class WholeScorer;

  static std::optional<std::string> scorer() {
    const char* set = std::getenv(kVariable);
    return set == nullptr ? std::nullopt : std::optional<std::string>(set);
  }
  static void set_scorer(const std::optional<std::string>& program) {
    if (program)
      ::setenv(kVariable, program->c_str(), /*replace=*/1);
    else
      ::unsetenv(kVariable);
  }
  /// The value before.
  static std::optional<std::string>& outer() {
    static std::optional<std::string> program;
    return program;
  }
  static bool& lives() {
    static bool one = false;
    return one;
  }

  static constexpr const char* kVariable = "HEED_SACREBLEU";
  static constexpr const char* kScript = R"sh(#!/bin/sh
reference=$1
while [ "$1" != -i ]; do shift; done
sum=$(cat "$reference" "$2" | cksum)
sum=${sum%% *}
rest="\"score\": $((sum / 100 % 100)).$((sum % 100 + 100)), \"signature\": \"nrefs:1\", \"verbose_score\": \"\"}"
bleu="{\"name\": \"BLEU\", $rest"
chrf="{\"name\": \"chrF2\", $rest"
case "$*" in
  *" bleu chrf "*) echo "[$bleu, $chrf]" ;;
  *" chrf bleu "*) echo "[$chrf, $bleu]" ;;
  *" chrf "*) echo "$chrf" ;;
  *) echo "$bleu" ;;
esac
)sh";

  TemporaryFolder folder_;
};

/// sacrebleu itself, also within the life of a QuickScorer: for what is made once for many tests.
class WholeScorer {
 public:
  WholeScorer() : before_(QuickScorer::scorer()) {
    if (QuickScorer::lives()) QuickScorer::set_scorer(QuickScorer::outer());
  }
  ~WholeScorer() { QuickScorer::set_scorer(before_); }
  WholeScorer& operator=(WholeScorer&&) = delete;

 private:
  const std::optional<std::string> before_;
};

}  // namespace heed
