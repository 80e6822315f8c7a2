// heed translate --document: what of a file is translated, and what stays.
#include <algorithm>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"

namespace heed::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

class DocumentOption : public testing::TestWithParam<const char*> {
 protected:
  const std::string model_ = Toy::get().folder / GetParam();
  const TemporaryFolder folder_;

  /// Translations of lines, with the same options.
  Words lines(const std::string& text, Words options = {}) const {
    options.insert(options.begin(), {"translate", model_});
    return lines_of(product(run_heed(options, text)));
  }
  Result translate(const std::string& format, const std::string& text, Words options = {}) const {
    options.insert(options.begin(), {"translate", model_, "--document", format});
    return run_heed(options, text);
  }
};

INSTANTIATE_TEST_SUITE_P(Models, DocumentOption, testing::Values("rnn", "transformer"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(DocumentOption, TranslatesSentencesAndLeavesAllElse) {
  const Words are = lines("a b c\nd ef\ngh hg ij a\n");
  EXPECT_EQ(product(translate("markdown",
                              "\uFEFF# a b c\r\n\r\n* d ef\r\n\r\n```\na b c\n```\n| a b c | |\n"
                              "|---|---|\n\n    d ef\n\ngh hg ij a")),
            "\uFEFF# " + are[0] + "\r\n\r\n* " + are[1] + "\r\n\r\n```\na b c\n```\n| " + are[0] +
                " | |\n|---|---|\n\n    d ef\n\n" + are[2]);
  EXPECT_EQ(product(translate("vtt",
                              "WEBVTT\n\nNOTE d ef\n\n00:01.000 --> 00:02.000 line:0\n"
                              "- a b c\n- <i>d ef</i>\n")),
            "WEBVTT\n\nNOTE d ef\n\n00:01.000 --> 00:02.000 line:0\n- " + are[0] + "\n- <i>" +
                are[1] + "</i>\n");
}

TEST_P(DocumentOption, ASentenceOverTwoLinesStaysOnTwo) {
  std::string whole = lines("gh hg ij a\n").at(0);
  const std::string out =
      product(translate("srt", "1\n00:00:01,000 --> 00:00:02,000\ngh hg\nij a\n\n"));
  const std::string head = "1\n00:00:01,000 --> 00:00:02,000\n";
  ASSERT_TRUE(out.starts_with(head) && out.ends_with("\n\n")) << out;
  Words cue = lines_of(out.substr(head.size()));
  ASSERT_EQ(cue.size(), 3U) << out;
  EXPECT_EQ(cue[0] + " " + cue[1], whole);
}

TEST_P(DocumentOption, MarkupComesBackAndTheWordsAreThoseOfTheWholeSentence) {
  const std::string text = "a **c** [d](x) e `f` g\n";
  std::string out = product(translate("markdown", text));
  for (const std::string markup : {"**", "**", "[", "](x)", "`f`"}) {
    const std::size_t at = out.find(markup);
    ASSERT_NE(at, std::string::npos) << markup << " is not in " << out;
    out.replace(at, markup.size(), " ");
  }
  EXPECT_EQ(split_words(out), split_words(lines("a c d e g\n").at(0)));
  // A mark that the vocabulary lacks stays.
  EXPECT_EQ(product(translate("markdown", "a c d\u00A7\n")), lines("a c d\n").at(0) + "\u00A7\n");
}

// The attention of this model is that of the task.
TEST(DocumentMarkup, IsAroundTheTranslationsOfItsWords) {
  const auto translate = [](const char* format, const std::string& text, const Words& options) {
    Words all{"translate", Toy::get().rnn, "--document", format};
    all.insert(all.end(), options.begin(), options.end());
    return product(run_heed(all, text));
  };
  EXPECT_EQ(translate("markdown", "# a **c** d e\n\n- [a c](x) *d* e `f`\n", {}),
            "# e d **c** a\n\n- e *d* [c a](x) `f`\n");
  EXPECT_EQ(translate("srt", "1\n00:01,000 --> 00:02,000\na d <i>e\nc</i>\n", {}),
            "1\n00:01,000 --> 00:02,000\n<i>c e</i>\nd a\n");
  EXPECT_EQ(translate("markdown", "a **c** d e\n", {"--head", "0"}), "e d **c** a\n");
}

// Backwards these sentences are themselves.
TEST_P(DocumentOption, ASentenceThatComesBackKeepsItsBytes) {
  for (const std::string text :
       {"a **c** &#97;\n", "> a\r\n>  `x`  **c\r\n> a**\r\n", "a [c](x) a"})
    EXPECT_EQ(product(translate("markdown", text)), text);
}

TEST_P(DocumentOption, ReadsAndWritesFilesOnce) {
  const std::string file = folder_.write("text.txt", "a b c\n"), output = folder_ / "out.txt";
  const Words command{"translate", model_, file, "--document", "txt", "-o", output};
  EXPECT_EQ(product(run_heed(command)), "");
  EXPECT_EQ(read_file(output), lines("a b c\n").at(0) + "\n");
  expect_mistake(run_heed(command), {output, "is there already"});
  expect_mistake(run_heed({"translate", model_, folder_ / "absent", "--document", "txt"}),
                 {"absent"});
  EXPECT_EQ(product(translate("txt", "")), "");
}

// A file system that is full behaves as one whose files may have 1,024 bytes.
TEST(DocumentFile, HasItsNameOnlyWhenItIsWhole) {
  const TemporaryFolder folder;
  const std::string model = Toy::get().rnn, output = folder / "out.md",
                    code = "```\n" + std::string(3000, 'x') + "\n```\n",
                    file = folder.write("text.md", "a b c\n\n" + code);
  const Words command{"translate", model, file, "--document", "markdown", "-o", output};
  Words limited{"bash", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "bash", paths::kHeed};
  limited.insert(limited.end(), command.begin(), command.end());
  const Result full = subprocess::run(limited);
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.err, HasSubstr(output + ": cannot write: File too large"));
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("text.md"));
  folder.write("out.md", "");  // nothing is lost with it
  EXPECT_EQ(product(run_heed(command)), "");
  EXPECT_THAT(read_file(output), testing::EndsWith(code));
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAre("text.md", "out.md"));
  expect_mistake(run_heed({"translate", model, file, "--document", "markdown", "-o", file}),
                 {file, "is read by this command"});
  expect_one_line_error(run_heed({"translate", model, file, "--document", "markdown", "-o",
                                  folder / "absent/out.md"}),
                        1, {"absent/out.md", "cannot write"});
}

TEST_P(DocumentOption, GoesWithAGlossaryAndOptionsOfTheSearch) {
  const std::string terms = folder_.write("terms.tsv", "a\tgh\n");
  const Words options{"--glossary", terms, "--beam", "7"};
  EXPECT_EQ(product(translate("txt", "- a b c\n", options)),
            "- " + lines("a b c\n", options).at(0) + "\n");
}

TEST_P(DocumentOption, TranslatesLongSentencesByClauses) {
  const Words options{"--set", "decoding.max_source_length=4"};
  const Words are = lines("a b ,\nc d\n", options);
  const Result result = translate("txt", "a b\n\na b , c d\n", options);
  EXPECT_EQ(product(result), lines("a b\n").at(0) + "\n\n" + are[0] + " " + are[1] + "\n");
  EXPECT_THAT(result.err,
              HasSubstr("1 sentence of more than 4 pieces translated by clauses, line 3 first"));
  EXPECT_THAT(result.err, Not(HasSubstr("cut")));
}

TEST_P(DocumentOption, WarnsByLinesOfTheDocument) {
  const Result result = translate("txt", "a b\n\n\nßß ßß\n\nß\xFF\n");
  EXPECT_THAT(result.err, HasSubstr("knows no piece of line 4, 6;"));
  EXPECT_THAT(result.err, HasSubstr("stdin: not all of it is UTF-8"));
}

TEST_P(DocumentOption, TranslatesColumnsOfTables) {
  const Words are = lines("a b c\nd ef\n");
  EXPECT_EQ(product(translate("csv", "id;text\r\n1;a b c\r\n2;\"d ef\"\r\n", {"--column", "text"})),
            "id;text\r\n1;" + are[0] + "\r\n2;\"" + are[1] + "\"\r\n");
  EXPECT_EQ(product(translate("tsv", "a b c\td ef\n", {"--column", "2", "--column", "1"})),
            are[0] + "\t" + are[1] + "\n");
  EXPECT_EQ(product(translate("jsonl", "{\"a\": {\"b\": \"d ef\"}}\n", {"--column", "a.b"})),
            "{\"a\": {\"b\": \"" + are[1] + "\"}}\n");
  expect_mistake(translate("csv", "id,text\n1,a\n", {"--column", "txt"}),
                 {"stdin: --column txt", "there are: id, text"});
  expect_mistake(translate("csv", "id,text\n1,a\n"), {"--column says", "there are: id, text"});
  expect_mistake(translate("txt", "a", {"--column", "text"}), {"--column is for tables", "txt"});
  expect_mistake(run_heed({"translate", model_, "--column", "text"}, "a"), {"--document"});
}

TEST_P(DocumentOption, AutoGoesByTheNameOfTheFile) {
  const std::string are = lines("a b c\n").at(0);
  const std::string file = folder_.write("page.MD", "# a b c\n");
  EXPECT_EQ(product(run_heed({"translate", model_, file, "--document", "auto"})),
            "# " + are + "\n");
  expect_mistake(translate("auto", "a"), {"--document auto", "standard input", "name the format"});
  expect_mistake(
      run_heed({"translate", model_, folder_.write("page.de", "a\n"), "--document", "auto"}),
      {"--document auto", "page.de"});
}

TEST_P(DocumentOption, SaysWhatAlsoDoesNotFind) {
  const std::string page = "<p title=\"a b c\">d ef</p>";
  const Result found = translate("html", page, {"--also", "title,alt"});
  EXPECT_THAT(found.err, HasSubstr("warning: stdin: nothing in it that --also alt names has text"));
  EXPECT_THAT(found.err, Not(HasSubstr("--also title")));
  EXPECT_EQ(product(found),
            "<p title=\"" + lines("a b c\n").at(0) + "\">" + lines("d ef\n").at(0) + "</p>");
}

TEST_P(DocumentOption, ADocumentInAnotherEncodingIsRefused) {
  const std::string latin = folder_.write("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n\xE4 b\n");
  expect_mistake(run_heed({"translate", model_, latin, "--document", "vtt"}),
                 {latin + ":4: not UTF-8", "iconv -f WINDOWS-1252 -t UTF-8 " + latin + " > NEW"});
  expect_mistake(translate("txt", std::string("a\0 \0b\0\n\0", 8)), {"stdin:1", "-f UTF-16LE"});
  expect_mistake(translate("txt", std::string("\0a\0 \0b\0\n", 8)), {"stdin:1", "-f UTF-16BE"});
  expect_mistake(translate("txt", std::string("\xFF\xFE\0\0a\0\0\0", 8)), {"text in UTF-32"});
}

TEST(LinesOfDocuments, AreTranslatedWithAWarning) {
  const TemporaryFolder folder;
  const std::string model = Toy::get().rnn;
  const auto warning_of = [&](const std::string& name, const std::string& text,
                              Words options = {}) {
    options.insert(options.begin(), {"translate", model, folder.write(name, text)});
    const Result result = run_heed(options);
    EXPECT_EQ(std::ranges::count(product(result), '\n'), std::ranges::count(text, '\n'));
    EXPECT_LE(std::ranges::count(result.err, '\n'), 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(warning_of("a.md", "a b\n"),
              HasSubstr("a.md: looks like a document (markdown), of which each line is translated; "
                        "--document markdown"));
  EXPECT_THAT(warning_of("a.rst", "a b\n"),
              HasSubstr("a.rst: a document of reStructuredText, of which each line is translated"));
  EXPECT_THAT(warning_of("a.csv", "a,b\n"), HasSubstr("--document csv"));
  EXPECT_THAT(warning_of("a.de", "WEBVTT\n\n"), HasSubstr("--document vtt"));
  EXPECT_THAT(run_heed({"translate", model}, "{\"a\": 1}\n").err, HasSubstr("--document jsonl"));
  for (const std::string name : {"a.de", "a.txt", "a"})
    EXPECT_THAT(warning_of(name, "a b\n"), Not(HasSubstr("--document"))) << name;
  EXPECT_THAT(warning_of("b.md", "a <b>b</b>\n", {"--markup", "html"}),
              Not(HasSubstr("--document")));
}

TEST_P(DocumentOption, TellsOfADocumentThatIsNone) {
  expect_mistake(translate("markdown",
                           "version https://git-lfs.github.com/spec/v1\n"
                           "oid sha256:1\nsize 9\n"),
                 {"stdin: a pointer of Git LFS", "git lfs pull"});
  EXPECT_THAT(translate("txt", "<!DOCTYPE html>\n<html></html>\n").err,
              HasSubstr("warning: stdin: is not of the format txt; --document html is for it"));
  EXPECT_THAT(translate("markdown",
                        "1\n00:00:01,000 --> 00:00:02,000\ngh hg\n\n2\n00:00:03,000 --> "
                        "00:00:04,000\ngh\n\n")
                  .err,
              HasSubstr("warning: stdin: is not of the format markdown; --document srt is for it"));
  expect_mistake(
      translate("srt", "{25}{50}a b c\n"),
      {"stdin: line 1: the document begins like subtitles of MicroDVD", "--document microdvd"});
  const std::string lines = "a b c\n";
  const Result none = translate("srt", lines);
  EXPECT_EQ(product(none), lines);
  EXPECT_THAT(none.err, HasSubstr("stdin: nothing in it is text to translate; is its format srt?"));
  EXPECT_THAT(translate("srt", "\n").err, Not(HasSubstr("is its format")));
  const Result full = translate("po", "msgid \"a\"\nmsgstr \"b\"\n");
  EXPECT_THAT(full.err, HasSubstr("stdin: no text in it lacks a translation"));
  EXPECT_THAT(full.err, Not(HasSubstr("is its format")));
  expect_mistake(translate("--glossary", lines),
                 {"--document: has no value before --glossary", "such as auto"});
}

TEST_P(DocumentOption, RefusesWhatIsOfLines) {
  for (const Words& options : {Words{"--json"},
                               {"--scores"},
                               {"--alignment"},
                               {"--replace-unknown"},
                               {"--prefix-column"},
                               {"--n-best", "2"},
                               {"--prefix", "/dev/null"},
                               {"--text", "a"},
                               {"-o", folder_ / "x", "--resume"}}) {
    const std::string& option = options.size() == 3 ? options[2] : options[0];
    expect_mistake(translate("txt", "a", options), {"--document", option});
  }
  expect_mistake(translate("doc", "a"), {"--document", "markdown", "txt"});
}

}  // namespace
}  // namespace heed::cli
