// Sentences of documents whose stand-ins a model does not copy.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "decode/random_models.h"
#include "decode/search/marked_text.h"
#include "document/document.h"
#include "document/format.h"
#include "temporary_folder.h"
#include "text/kept.h"

namespace heed::decode {
namespace {

/// A vocabulary that knows X1 and X2.
const text::Vocabulary& with_names() {
  static const text::Vocabulary trained = [] {
    const TemporaryFolder folder;
    std::string lines;
    for (int i = 0; i < 300; ++i)
      lines += std::vector<std::string>{"mira X1 tolo", "sena X2 kupo", "vadi rel"}[i % 3] + "\n";
    return text::train_vocabulary({.files = {folder.write("words", lines)}, .size = 32});
  }();
  return trained;
}

class NamesOfDocuments : public testing::TestWithParam<int64_t> {
 protected:
  static Translator translator(DecodeConfig config) {
    config.max_length_ratio = 2;
    const text::Vocabulary& words = with_names();
    return Translator({{random_model(small_models()[0]), words, words}}, config, at::kCPU,
                      at::kFloat);
  }
  static std::string translated(const Translator& translator, const std::string& markdown) {
    const std::vector<document::SegmentedText> pages = {
        document::Document(markdown, *document::format_named("markdown"), {}).text()};
    const LinesRequest request = segments_of(pages, {});
    std::vector<Translation> found = translator.translate(request).translations;
    put_inlays(translator, request, pages, std::nullopt, found);
    return with_segments(pages, found)[0];
  }
};

INSTANTIATE_TEST_SUITE_P(Beams, NamesOfDocuments, testing::Values(1, 4, 7));

// A model with random weights copies nothing.
TEST_P(NamesOfDocuments, AreInTheTranslationsThatASearchForThemFinds) {
  DecodeConfig config;
  config.beam_size = GetParam();
  const Translator translator = NamesOfDocuments::translator(config);
  const std::string plain =
      translator.translate({.lines = {"mira X1 tolo X2 sena"}}).translations[0].text;
  ASSERT_TRUE(plain.find("X1") == plain.npos || plain.find("X2") == plain.npos) << plain;
  config.beam_size = std::max<int64_t>(config.beam_size, 5);
  const Translator wider = NamesOfDocuments::translator(config);
  std::string wanted = wider
                           .translate({.lines = {"mira X1 tolo X2 sena"},
                                       .glossary = wider.glossary_of({{"X1", "X1"}, {"X2", "X2"}})})
                           .translations[0]
                           .text;
  ASSERT_NE(wanted.find("X1"), wanted.npos) << wanted;
  wanted.replace(wanted.find("X1"), 2, "`a b`");
  wanted.replace(wanted.find("X2"), 2, "`c`");
  EXPECT_EQ(translated(translator, "mira `a b` tolo `c` sena"), wanted);
}

}  // namespace
}  // namespace heed::decode
