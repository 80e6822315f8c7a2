#include "score/tokenizer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/format.h"
#include "text/script.h"
#include "text/unicode.h"
#include "text/words.h"

namespace heed::score {
namespace {

using text::Script;

constexpr int64_t kKana = 10;  // Japanese has more than one kana among so many characters

bool is_kana(char32_t c) {
  return (c >= 0x3041 && c <= 0x30FF) || (c >= 0xFF66 && c <= 0xFF9F);
}

}  // namespace

std::string fitting_tokenizer(std::span<const std::string> lines) {
  std::array<int64_t, text::kScripts> letters{};
  int64_t kana = 0;
  for (const std::string& line : lines)
    for (const char32_t c : text::decode_utf8(line)) {
      ++letters[static_cast<std::size_t>(text::script_of(c))];
      kana += is_kana(c);
    }
  const auto most = std::max_element(letters.begin() + 1, letters.end());
  const auto script = static_cast<Script>(most - letters.begin());
  if (script == Script::hangul) return "ko-mecab";
  if (!text::are_written_together(lines)) return "13a";
  if (script != Script::han_and_kana) return "char";
  return kKana * kana > *most ? "ja-mecab" : "zh";
}

std::optional<std::string> tokenizer_doubt(std::span<const std::string> lines,
                                           const EvaluationConfig& config,
                                           const std::string& name) {
  if (std::ranges::count(config.metrics, "bleu") == 0) return std::nullopt;
  const std::string fitting = fitting_tokenizer(lines), &wanted = config.tokenize;
  // Korean has blanks: its words with their endings are found by any.
  if (fitting == "13a" || fitting == "ko-mecab" || fitting == wanted) return std::nullopt;
  const bool blind = wanted == "13a" || wanted == "intl" || wanted == "none";
  const bool of_another_script =
      wanted == "ko-mecab" || ((wanted == "zh" || wanted == "ja-mecab") && fitting == "char");
  if (!blind && !of_another_script) return std::nullopt;
  return fmt::format(
      "evaluation.tokenize: {} finds no words in {}, which is written without blanks, and BLEU "
      "says nothing; set it to {}{}",
      wanted, name, fitting, fitting == "ja-mecab" ? " or char" : "");
}

std::string package_for(const std::string& tokenizer) {
  if (tokenizer == "ja-mecab") return "sacrebleu[ja]";
  return tokenizer == "ko-mecab" ? "sacrebleu[ko]" : "";
}

}  // namespace heed::score
