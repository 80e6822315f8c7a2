#include "document/inlays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/strings.h"
#include "document/markup.h"
#include "document/word_weights.h"
#include "text/words.h"

namespace heed::document {
namespace {

/// A line of one segment, whose translation and links are given.
std::string put(const std::string& line, const std::string& translation,
                const std::vector<std::vector<std::size_t>>& links,
                MarkupKind kind = MarkupKind::html, const text::KeepOptions& kept = {}) {
  const SegmentedText markup = read_markup(line, kind, kept);
  const Segment& segment = markup.segments().at(0);
  return markup.with(
      {with_inlays(segment, translation,
                   weights_of(links, static_cast<std::size_t>(text::count_words(segment.text))))});
}

using Links = std::vector<std::vector<std::size_t>>;
const Links kSame = {{0}, {1}, {2}, {3}}, kReversed = {{3}, {2}, {1}, {0}};

TEST(Inlays, AnElementIsAroundTheWordsThatAttendToIt) {
  EXPECT_EQ(put("a <b>c d</b> e", "A C D E", kSame), "A <b>C D</b> E");
  EXPECT_EQ(put("a <b>c</b> d e", "E D C A", kReversed), "E D <b>C</b> A");
  EXPECT_EQ(put("<b>a c</b> d <i>e</i>", "E D C A", kReversed), "<i>E</i> D <b>C A</b>");
  EXPECT_EQ(put("<b>a <i>c</i></b> d e", "E D C A", kReversed), "E D <b><i>C</i> A</b>");
  EXPECT_EQ(put("<b>a c d e</b>", "E D C A", kReversed), "<b>E D C A</b>");
  EXPECT_EQ(put("<b>a</b> c", "A1 A2 C A3", {{0}, {0}, {1}, {0}}), "<b>A1 A2</b> C A3");
  // One word in between that attends elsewhere.
  EXPECT_EQ(put("<b>a c</b> d", "A D A C", {{0}, {2}, {0}, {1}}), "<b>A D A C</b>");
}

// "did" has most of the attention of "nit" and of "lassen". In balance "not" has its share of
// "nit", and "leave" has "lassen".
TEST(Inlays, AWordWithLittleAttentionHasItsPlace) {
  const WordWeights weights{4,
                            {0.94, 0.02, 0.02, 0.02,  //
                             0.02, 0.78, 0.18, 0.02,  //
                             0.02, 0.50, 0.02, 0.46}};
  const auto put_in = [&](const std::string& line) {
    const SegmentedText markup = read_markup(line);
    return with_inlays(markup.segments()[0], "eli nit lassen", weights);
  };
  EXPECT_EQ(put_in("they did <b>not</b> leave"), "eli <b>nit</b> lassen");
  EXPECT_EQ(put_in("they <b>did not leave</b>"), "eli <b>nit lassen</b>");
  EXPECT_EQ(put_in("<b>they</b> did not <i>leave</i>"), "<b>eli</b> nit <i>lassen</i>");
}

TEST(Inlays, NeighboursHaveNoWordInCommon) {
  EXPECT_EQ(put("<b>a</b> <i>c</i>", "X", {{0}}), "<b>X</b> <i></i>");
}

TEST(Inlays, AnElementWithoutWordsIsBesideItsNeighbour) {
  EXPECT_EQ(put("a <b></b> c d", "D C A", {{2}, {1}, {0}}), "D C A <b></b>");
  EXPECT_EQ(put("a <b>c</b> d", "D A", {{2}, {0}}), "D A <b></b>");
  EXPECT_EQ(put("a <b><i>c</i> <u></u></b> d", "D A", {{2}, {0}}), "D A <b><i></i><u></u></b>");
}

TEST(Inlays, AnEmptyTagFollowsTheWordBeforeIt) {
  EXPECT_EQ(put("a <img> c d", "D C A", {{2}, {1}, {0}}), "D C A <img>");
  EXPECT_EQ(put("a<img> c d", "D A C", {{2}, {0}, {1}}), "D A<img> C");
  EXPECT_EQ(put("a <img>c d", "D C A", {{2}, {1}, {0}}), "D <img>C A");
  EXPECT_EQ(put("<img> a c", "C A", {{1}, {0}}), "<img> C A");
  EXPECT_EQ(put("a c <img>", "C A", {{1}, {0}}), "C A <img>");
  EXPECT_EQ(put("<b>a <img></b> c", "C A", {{1}, {0}}), "C <b>A <img></b>");
  // It does not cut an element.
  EXPECT_EQ(put("<b>a c</b> d <img> e", "A D C E", {{0}, {2}, {1}, {3}}), "<b>A</b> D <img> C E");
  EXPECT_EQ(put("<b>a c</b> <img> d", "C A D", {{1}, {0}, {2}}), "<b>C A</b> <img> D");
}

TEST(Inlays, HalvesKeepTheirOrder) {
  EXPECT_EQ(put("a</b> c <i>d", "D C A", {{2}, {1}, {0}}), "D C A</b> <i>");
  EXPECT_EQ(put("a <b>c d", "D C A", {{2}, {1}, {0}}), "D <b>C A");
}

TEST(Inlays, PunctuationIsOutsideUnlessItWasInside) {
  EXPECT_EQ(put("a <b>c</b>, d", "A C, D", {{0}, {1}, {2}}), "A <b>C</b>, D");
  EXPECT_EQ(put("a <b>c,</b> d", "A C, D", {{0}, {1}, {2}}), "A <b>C,</b> D");
  EXPECT_EQ(put("a <b>c</b>.", "A \"C\".", {{0}, {1}}), "A \"<b>C</b>\".");
  EXPECT_EQ(put("a <b>c</b>.", "A C .", {{0}, {1}, {1}}), "A <b>C</b> .");
}

TEST(Inlays, TextBecomesMarkup) {
  EXPECT_EQ(put("<b>a</b> &amp; c", "A & <C>", {{0}, {1}, {2}}), "<b>A</b> &amp; &lt;C&gt;");
  EXPECT_EQ(put("a c", "A & C", {{0}, {0}, {1}}), "A &amp; C");
  EXPECT_EQ(put("a c", "A & C", {{0}, {0}, {1}}, MarkupKind::none), "A & C");
}

TEST(Inlays, ItemsThatAreKept) {
  const auto keep = [](const std::string& line, const std::string& translation,
                       const Links& links) {
    return put(line, translation, links, MarkupKind::none, text::kept_of({"placeholders", "urls"}));
  };
  EXPECT_EQ(keep("a {n}, c", "A, C", {{0}, {1}}), "A {n}, C");
  EXPECT_EQ(keep("a {n}, c", "C A", {{1}, {0}}), "C A {n}");
  EXPECT_EQ(keep("{n} a c", "C A", {{1}, {0}}), "{n} C A");
  EXPECT_EQ(keep("a c http://x.y.", "C A.", {{1}, {0}}), "C A http://x.y.");
  EXPECT_EQ(keep("a {n} {m} c", "A C", {{0}, {1}}), "A {n} {m} C");
  EXPECT_EQ(keep("a {n}{m} c", "A C", {{0}, {1}}), "A {n}{m} C");
  EXPECT_EQ(keep("a {n}-b c", "A C", {{0}, {2}}), "A {n} C");
}

// Without the item they would stand beside nothing, and the model would drop them.
TEST(Inlays, MarksAroundAnItemAreAPartOfIt) {
  const auto keep = [](const std::string& line, const std::string& model,
                       const std::string& translation, const Links& links,
                       MarkupKind kind = MarkupKind::none) {
    const text::KeepOptions kept = text::kept_of({"placeholders"});
    EXPECT_EQ(read_markup(line, kind, kept).segments().at(0).text, model);
    return put(line, translation, links, kind, kept);
  };
  EXPECT_EQ(keep("a ({n}) c", "a c", "A C", {{0}, {1}}), "A ({n}) C");
  EXPECT_EQ(keep("a «{n}{m}» c", "a c", "C A", {{1}, {0}}), "C A «{n}{m}»");
  EXPECT_EQ(keep("a ({n}), c.", "a, c.", "A, C.", {{0}, {1}}), "A ({n}), C.");
  EXPECT_EQ(keep("({n}) a c", "a c", "A C", {{0}, {1}}), "({n}) A C");
  EXPECT_EQ(keep("a c \"{n}\"", "a c", "A C", {{0}, {1}}), "A C \"{n}\"");
  EXPECT_EQ(keep("{n}: a c", "a c", "C A", {{1}, {0}}), "{n}: C A");
  EXPECT_EQ(keep("a c: {n}.", "a c:", "C A:", {{1}, {0}}), "C A: {n}.");
  EXPECT_EQ(keep("a <b>(<img>)</b> c", "a c", "A C", {{0}, {1}}, MarkupKind::html),
            "A <b>(<img>)</b> C");
  EXPECT_EQ(keep("a &quot;<img>&quot; c", "a c", "A C", {{0}, {1}}, MarkupKind::html),
            "A \"<img>\" C");
}

TEST(Inlays, LettersWithoutBlanksAreWords) {
  EXPECT_EQ(put("a <b>c</b> d", "我喜欢你。", {{0}, {1}, {1}, {2}, {2}}), "我<b>喜欢</b>你。");
}

TEST(Inlays, WithoutATranslationOrAttentionNothingIsLost) {
  EXPECT_EQ(put("a <b>c <img></b> {x}<i>", "", {}), "<b><img></b><i>");
  const SegmentedText markup = read_markup("a <b>c</b> d <i>");
  EXPECT_EQ(with_inlays(markup.segments()[0], "A C D", {3, std::vector<double>(9)}),
            "<b></b> A C D <i>");
  EXPECT_EQ(with_inlays(markup.segments()[0], "A C D E F G", diagonal_weights(6, 3)),
            "A C <b>D E</b> F G <i>");
}

TEST(Inlays, WordsThatWereCutOffHaveNoAttention) {
  const SegmentedText markup = read_markup("a <b>c</b> d <i>e</i> <img> f");
  EXPECT_EQ(with_inlays(markup.segments()[0], "C A", weights_of({{1}, {0}}, 2)),
            "<b>C</b> <i></i> <img> A");
}

/// Tags in order; text and references are left out.
std::vector<std::string> tags_of(const std::string& page) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = page.find('<', at)) != std::string::npos;) {
    const std::size_t end = page.find('>', at);
    out.push_back(page.substr(at, end - at + 1));
    at = end;
  }
  return out;
}

/// Whether each end tag closes the last open element, and no element is left open. Names are of one
/// letter.
bool is_well_formed(const std::string& page) {
  std::vector<char> open;
  for (const std::string& tag : tags_of(page)) {
    if (tag.ends_with("/>")) continue;
    if (tag[1] != '/') {
      open.push_back(tag[1]);
    } else {
      if (open.empty() || open.back() != tag[2]) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

/// Random content of an element: words, elements, empty tags and blocks, nested.
class RandomPage {
 public:
  explicit RandomPage(unsigned seed) : random_(seed) {}

  std::string content(int depth) {
    std::string out;
    for (int left = below(5); left >= 0; --left) {
      const int what = below(10);
      if (what < 5 || depth == 0)
        out += std::string(below(4) > 0, ' ') + "w" + std::to_string(below(9)) +
               std::string(below(3) == 0, ',') + std::string(below(4) > 0, ' ');
      else if (what < 8)
        out += element(depth, std::string(1, "buisa"[below(5)]));
      else if (what == 8)
        out += "<x id=\"" + std::to_string(next_++) + "\"/>";
      else
        out += element(depth, "p");
    }
    return out;
  }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

 private:
  std::string element(int depth, const std::string& name) {
    std::string out = "<" + name + " id=" + std::to_string(next_++) + ">";
    out += content(depth - 1);
    return out + "</" + name + ">";
  }

  std::mt19937 random_;
  int next_ = 0;
};

/// Any translation, with any attention.
std::string translated(const SegmentedText& markup, RandomPage& random) {
  std::vector<std::string> texts;
  for (const Segment& segment : markup.segments()) {
    const auto columns = static_cast<std::size_t>(text::count_words(segment.text));
    std::vector<std::string> words(random.below(8), "w");
    for (std::string& word : words) word += std::string(random.below(3) == 0, '.');
    WordWeights weights{columns, std::vector<double>(words.size() * columns)};
    for (double& weight : weights.values) weight = random.below(4) / 3.0;
    texts.push_back(with_inlays(segment, join(words, " "), weights));
  }
  return markup.with(texts);
}

TEST(Inlays, TagsAreThoseOfTheSourceAndWellFormedAsItIs) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomPage random(seed);
    const std::string page = random.content(4);
    ASSERT_TRUE(is_well_formed(page)) << page;
    const std::string out = translated(read_markup(page), random);
    EXPECT_TRUE(is_well_formed(out)) << page << "\n" << out;
    auto before = tags_of(page), after = tags_of(out);
    std::ranges::sort(before);
    std::ranges::sort(after);
    EXPECT_EQ(before, after) << page << "\n" << out;
  }
}

TEST(Inlays, ATranslationThatIsTheTextGivesThePageBack) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomPage random(seed);
    const std::string page = random.content(4) + " &auml;&nbsp;\n b  <!-- c -->d {n} 5";
    for (const MarkupKind kind : {MarkupKind::none, MarkupKind::html, MarkupKind::xml}) {
      const SegmentedText markup = read_markup(page, kind, text::kept_of(text::kKeptNames));
      std::vector<std::string> texts;
      for (const Segment& segment : markup.segments())
        texts.push_back(with_inlays(segment, segment.text, {}));
      EXPECT_EQ(markup.with(texts), page);
    }
  }
}

TEST(Inlays, OfBrokenMarkupAllTagsComeBackInOneLine) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomPage random(seed);
    std::string page = random.content(4);
    for (int left = random.below(4); left >= 0 && !page.empty(); --left)  // a tag lost or moved
      if (const auto tags = tags_of(page); !tags.empty()) {
        const std::string& tag = tags[random.below(static_cast<int>(tags.size()))];
        page.erase(page.find(tag), tag.size());
        if (random.below(2) == 0) page += tag;
      }
    const std::string out = translated(read_markup(page), random);
    auto before = tags_of(page), after = tags_of(out);
    std::ranges::sort(before);
    std::ranges::sort(after);
    EXPECT_EQ(before, after) << page << "\n" << out;
    EXPECT_EQ(out.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace heed::document
