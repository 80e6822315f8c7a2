// heed-bench sentences FILE: how well the rules find the ends of sentences that are known.
#include "text/sentences.h"

#include <fmt/ranges.h>

#include <iostream>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "benchmarks/bench/bench.h"
#include "text/characters.h"
#include "text/pairs.h"
#include "text/script.h"
#include "text/sentence_marks.h"
#include "text/utf8.h"
#include "text/words.h"

namespace heed::bench {
namespace {

struct SentencesArgs {
  std::vector<std::string> files;
  std::string language = "any";
  int64_t lines = 5;
  bool all = false, ends = false;
};

/// Whether the text ends with a mark that ends sentences, and perhaps quotes, brackets and digits.
bool is_closed(std::string_view text) {
  const std::u32string points = text::decode_utf8(text);
  for (std::size_t i = points.size(); i-- > 0;) {
    if (text::sentence_mark_at(points, i).mark != text::SentenceMark::none) return true;
    if (i > 0 && text::sentence_mark_at(points, i - 1).size == 2) return true;
    if (text::is_letter(points[i])) return false;
  }
  return false;
}

/// A paragraph, and the bytes at which its sentences end, apart from the last.
struct KnownParagraph {
  std::string text;
  std::vector<std::size_t> ends;
};

/// Paragraphs of some lines of a file with a sentence a line. A line without a mark at its end, as
/// a headline, ends its paragraph: nobody joins it to what follows. Chinese and Japanese lines are
/// joined without a blank.
std::vector<KnownParagraph> paragraphs_of(const std::string& file, const SentencesArgs& args) {
  std::vector<KnownParagraph> out(1);
  bool is_full = false, has_blanks = true;
  for (const std::string& raw : text::read_lines(file)) {
    const std::string_view line = trim(raw);
    if (line.empty()) continue;
    if (std::exchange(is_full, false)) out.emplace_back();
    KnownParagraph& paragraph = out.back();
    if (!paragraph.text.empty()) {
      paragraph.ends.push_back(paragraph.text.size());
      if (has_blanks) paragraph.text += ' ';
    }
    paragraph.text += line;
    has_blanks = !text::is_unsegmented(line) ||
                 !text::any_code_point(line, [](const text::CodePoint& point) {
                   return text::script_of(point.value) == text::Script::han_and_kana;
                 });
    is_full = std::ssize(paragraph.ends) + 1 == args.lines || (!is_closed(line) && !args.all);
  }
  return out;
}

std::vector<std::size_t> found_ends(const std::string& paragraph, const std::string& language) {
  std::vector<std::size_t> out;
  for (const std::string_view sentence : text::sentences_of(paragraph, language))
    out.push_back(static_cast<std::size_t>(sentence.end() - paragraph.begin().base()));
  if (!out.empty()) out.pop_back();
  return out;
}

void measure(const SentencesArgs& args) {
  if (!args.ends) std::cout << "file\tends\tmissed\twrong\tprecision\trecall\tF1\n";
  for (const std::string& file : args.files) {
    int64_t known = 0, found = 0, right = 0;
    for (const KnownParagraph& paragraph : paragraphs_of(file, args)) {
      const std::vector<std::size_t> cuts = found_ends(paragraph.text, args.language);
      known += std::ssize(paragraph.ends);
      found += std::ssize(cuts);
      for (const std::size_t cut : cuts) right += std::ranges::count(paragraph.ends, cut);
      if (args.ends)
        std::cout << fmt::format("{}\t{}\t{}\n", paragraph.text, fmt::join(paragraph.ends, " "),
                                 fmt::join(cuts, " "));
    }
    const auto share = [](int64_t part, int64_t whole) {
      return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    if (!args.ends)
      std::cout << fmt::format("{}\t{}\t{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\n", file, known,
                               known - right, found - right, share(right, found),
                               share(right, known), share(2 * right, found + known));
  }
}

}  // namespace

void add_sentences(CommandLine& program) {
  auto [command, args] = program.command("sentences", measure,
                                         "Join lines to paragraphs, split them again, and compare");
  command.option("files", args->files, "Texts with one sentence on each line").required();
  command.option("--language", args->language, "Whose rules: a code such as de, or any");
  command.option("--lines", args->lines, "Lines that make a paragraph").positive();
  command.flag("--all", args->all, "Join lines without a mark at their end, too");
  command.flag("--ends", args->ends,
               "Print the paragraphs, the bytes of the known ends and of those found, by tabs");
}

}  // namespace heed::bench
