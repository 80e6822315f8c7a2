// heed translate --markup and --keep.
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;

/// The model writes the line backwards.
class MarkupOption : public testing::TestWithParam<const char*> {
 protected:
  const std::string model_ = Toy::get().folder / GetParam();

  Result translate(std::string_view input, const std::vector<std::string>& options) const {
    std::vector<std::string> all{"translate", model_};
    all.insert(all.end(), options.begin(), options.end());
    return run_heed(all, input);
  }
  std::vector<std::string> html(std::string_view input) const {
    return lines_of(product(translate(input, {"--markup", "html"})));
  }
};

INSTANTIATE_TEST_SUITE_P(Models, MarkupOption, testing::Values("rnn", "transformer"),
                         [](const auto& info) { return std::string(info.param); });

int64_t count_in(const std::string& line, const std::string& text) {
  int64_t times = 0;
  for (std::size_t at = 0; (at = line.find(text, at)) != std::string::npos; at += text.size())
    ++times;
  return times;
}

TEST_P(MarkupOption, LinesWithoutTagsAreTranslatedAsEver) {
  const std::string input = read_file(Toy::get().folder / "test.src") + "\n a  b \n";
  const std::string plain = product(translate(input, {}));
  for (const std::string kind : {"html", "xml"})
    EXPECT_EQ(product(translate(input, {"--markup", kind})), plain);
  EXPECT_EQ(product(translate(input, {"--keep", "urls, emails,numbers ,placeholders"})), plain);
}

TEST_P(MarkupOption, EachTagComesBackOnceAndTheWordsAreThoseOfTheWholeSentence) {
  const auto lines = html(
      "a <b class=\"x\">c <i>d</i></b> e\n"
      "<p>a <b>c</p>\n"
      "\n"
      "<ul><li>a b</li><li>c d</li></ul>\n"
      "a <img/> b<!-- c -->\n"
      "a <span translate=\"no\">b c</span> d\n");
  ASSERT_EQ(lines.size(), 6U);
  const auto without = [](std::string line, const std::vector<std::string>& tags) {
    for (const std::string& tag : tags) {
      EXPECT_EQ(count_in(line, tag), 1) << line;
      line.erase(std::min(line.find(tag), line.size()), tag.size());
    }
    return join(split_words(line), " ");
  };
  EXPECT_EQ(without(lines[0], {"<b class=\"x\">", "<i>", "</i>", "</b>"}), "e d c a");
  EXPECT_EQ(without(lines[1], {"<p>", "<b>", "</p>"}), "c a");
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(lines[3], "<ul><li>b a</li><li>d c</li></ul>");
  EXPECT_EQ(without(lines[4], {"<img/>", "<!-- c -->"}), "b a");
  EXPECT_EQ(without(lines[5], {"<span translate=\"no\">b c</span>"}), "d a");
}

// The attention of this model is that of the task.
TEST(MarkupPlace, TagsAreAroundTheTranslationsOfTheirWords) {
  const Result result = run_heed({"translate", Toy::get().rnn, "--markup", "html"},
                                 "a <b>c</b> d e\n<b>a c</b> <i>d</i> e\na d <u>e <i>c</i></u>\n");
  EXPECT_EQ(product(result), "e d <b>c</b> a\ne <i>d</i> <b>c a</b>\n<u><i>c</i> e</u> d a\n");
}

TEST_P(MarkupOption, ReferencesAreCharactersForTheModel) {
  EXPECT_EQ(html("&#97; b\n"), lines_of("b a\n"));
}

// Backwards these lines are themselves.
TEST_P(MarkupOption, ALineThatComesBackKeepsItsBytes) {
  EXPECT_EQ(product(translate("a  <b>c</b>  &#97;\n", {"--markup", "html"})),
            "a  <b>c</b>  &#97;\n");
}

TEST_P(MarkupOption, WhatIsKeptComesBackOnce) {
  const std::vector<std::string> items = {"{a}",    "%s", "<x id=\"1\"/>", "http://a.b/c?d=%20",
                                          "a@b.cd", "5",  "1.000,50"};
  std::string input;
  for (const std::string& item : items) input += "a b " + item + " c d\n";
  input += "a 5 b 5 c\n{a}\n";
  const Result result = translate(input, {"--keep", "urls,emails,numbers,placeholders"});
  const auto lines = lines_of(product(result));
  ASSERT_EQ(lines.size(), items.size() + 2);
  EXPECT_EQ(result.err, "");
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(count_in(lines[i], items[i]), 1);
  EXPECT_THAT(lines[0], HasSubstr("d c"));
  EXPECT_EQ(count_in(lines[items.size()], "5"), 2);
  EXPECT_EQ(lines.back(), "{a}");
}

TEST_P(MarkupOption, GoesWithTerms) {
  const TemporaryFolder folder;
  const std::string terms = folder.write("terms.tsv", "a\tgh\n");
  const auto result = translate("<b>a</b> b c\n", {"--markup", "html", "--glossary", terms});
  EXPECT_THAT(product(result), HasSubstr("gh"));
  EXPECT_EQ(count_in(product(result), "<b>"), 1);
}

// Lines are read in windows of 32.
TEST_P(MarkupOption, DrawsAsPlainTextIsDrawn) {
  std::string input;
  for (int i = 0; i < 40; ++i) input += "a b c d e f\n";
  const std::string plain = product(translate(input, {"--sample"}));
  EXPECT_EQ(product(translate(input, {"--sample", "--markup", "html", "--batch", "1"})), plain);
  EXPECT_EQ(product(translate(input, {"--sample", "--keep", "urls", "--batch", "1"})), plain);
}

// Nothing of a page is translated whose markup goes over several lines.
TEST(MarkupPage, IsRefusedWhereItsMarkupEndsInAnotherLine) {
  const TemporaryFolder folder;
  const std::string model = Toy::get().rnn, output = folder / "out.html",
                    page = folder.write("page.html",
                                        "<p>a b</p>\n<style>\np { color: red }\n</style>\n");
  expect_mistake(run_heed({"translate", model, page, "--markup", "html", "-o", output}),
                 {page + ":2: the element that begins with '<style>' does not end in its line",
                  "--document html", "&lt;"});
  EXPECT_FALSE(is_there(output));
  const Result piped =
      run_heed({"translate", model, "--markup", "xml"}, "a <b>c</b>\na <c\nd=\"e\"/>\n");
  expect_mistake(piped, {"stdin:2: the tag that begins with '<c'", "format=xml"});
  // The ways out.
  EXPECT_EQ(product(run_heed({"translate", model, "--markup", "html"},
                             "<p>a b</p><style>p { color: red }</style>\n&lt;c\n")),
            "<p>b a</p><style>p { color: red }</style>\n" +
                product(run_heed({"translate", model, "--markup", "html"}, "&lt;c\n")));
}

TEST_P(MarkupOption, RefusesWhatCannotBe) {
  expect_mistake(translate("a\n", {"--markup", "rtf"}), {"--markup", "html"});
  expect_mistake(translate("a\n", {"--keep", "urls,dates"}), {"--keep", "placeholders"});
  for (const std::string option : {"--scores", "--alignment", "--json", "--replace-unknown"})
    expect_mistake(translate("a\n", {"--markup", "html", option}),
                   {option, "does not go with --markup"});
  expect_mistake(translate("a\n", {"--keep", "urls", "--n-best", "2"}),
                 {"--n-best", "does not go with --keep"});
}

}  // namespace
}  // namespace heed::cli
