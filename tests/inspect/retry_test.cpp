// Suspicious translations are searched for again: lines by their numbers, whatever else is there.
#include "inspect/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/random_models.h"

namespace heed::inspect {
namespace {

using Lines = std::vector<std::string>;

struct Retried {
  std::vector<decode::Translation> translations;
  RetryCount count;
};

/// With a random model every translation is suspicious.
Retried retry(const decode::Translator& translator, const Lines& lines, int64_t first_line) {
  const DetailOptions options{.flags = true, .script = script_of(translator.first_text().target)};
  const decode::LinesRequest request{.lines = lines, .numbers = first_line};
  Retried out{.translations = translator.translate(request).translations};
  auto details = details_of(translator, lines, out.translations, options);
  out.count = retry_suspicious(translator, request, options, out.translations, details);
  return out;
}

TEST(Retry, OfALineIsTheSameWithWhateverLinesItIsTranslated) {
  const Lines lines(24, "sena kupo vadi rel nostra bahir");
  auto translator =
      decode::make_translator(decode::random_model(decode::small_models()[0]), {.beam_size = 2});
  const Retried all = retry(translator, lines, 1);
  EXPECT_GT(all.count.better, 0);
  std::set<std::string> texts;
  for (const auto& one : all.translations) texts.insert(one.text);
  EXPECT_GT(texts.size(), 1U);  // samples differ
  for (const std::size_t begin : {3U, 7U, 20U}) {
    const Lines some(lines.begin() + begin, lines.begin() + begin + 3);
    const Retried part = retry(translator, some, static_cast<int64_t>(begin) + 1);
    for (std::size_t i = 0; i < some.size(); ++i)
      EXPECT_EQ(part.translations[i].text, all.translations[begin + i].text);
  }
}

TEST(Retry, ScoresAsTheSearchDoes) {
  auto translator =
      decode::make_translator(decode::random_model(decode::small_models()[0]), {.beam_size = 2});
  const Retried all = retry(translator, Lines(24, "sena kupo vadi rel nostra bahir"), 1);
  for (const auto& one : all.translations) EXPECT_LE(one.hypotheses[0].score, 0);
}

}  // namespace
}  // namespace heed::inspect
