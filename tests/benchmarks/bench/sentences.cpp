// heed-bench sentences FILE: how well the rules find the ends of sentences that are known.
#include "text/sentences.h"

#include <iostream>

#include "base/error.h"
#include "base/strings.h"
#include "benchmarks/bench/bench.h"
#include "text/characters.h"
#include "text/pairs.h"
#include "text/utf8.h"

namespace heed::bench {
namespace {

struct SentencesArgs {
  std::vector<std::string> files;
  std::string language = "any";
  int64_t lines = 5;
  bool all = false;
};

/// Paragraphs of some lines of a file with a sentence a line. A line without a mark at its end, as
/// a headline, ends its paragraph: nobody joins it to what follows.
void measure(const SentencesArgs& args) {
  std::cout << "file\tends\tfound\tright\tprecision\trecall\tF1\n";
  for (const std::string& file : args.files) {
    int64_t known = 0, found = 0, right = 0;
    std::string paragraph;
    std::vector<std::size_t> ends;  // of the sentences before the last
    const auto finish = [&] {
      std::vector<std::size_t> cuts;
      for (const std::string_view sentence : text::sentences_of(paragraph, args.language))
        cuts.push_back(static_cast<std::size_t>(sentence.end() - paragraph.begin().base()));
      if (!cuts.empty()) cuts.pop_back();
      known += std::ssize(ends);
      found += std::ssize(cuts);
      for (const std::size_t cut : cuts) right += std::ranges::count(ends, cut);
      paragraph.clear();
      ends.clear();
    };
    for (const std::string& raw : text::read_lines(file)) {
      const std::string_view line = trim(raw);
      if (!paragraph.empty()) {
        ends.push_back(paragraph.size());
        paragraph += ' ';
      }
      paragraph += line;
      const std::u32string end = text::decode_utf8(line);
      const auto last = std::find_if(end.rbegin(), end.rend(), [](char32_t c) {
        return text::is_letter(c) ||
               std::u32string_view(U".!?…").find(c) != std::u32string_view::npos;
      });
      const bool is_open = last == end.rend() || text::is_letter(*last);
      if (std::ssize(ends) + 1 == args.lines || (is_open && !args.all)) finish();
    }
    finish();
    const auto share = [](int64_t part, int64_t whole) {
      return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    std::cout << fmt::format("{}\t{}\t{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\n", file, known, found, right,
                             share(right, found), share(right, known),
                             share(2 * right, found + known));
  }
}

}  // namespace

void add_sentences(CommandLine& program) {
  auto [command, args] = program.command("sentences", measure,
                                         "Join lines to paragraphs, split them again, and compare");
  command.option("files", args->files, "Texts with one sentence on each line").required();
  command.option("--language", args->language, "Whose rules: de, en, es, fr, or any");
  command.option("--lines", args->lines, "Lines that make a paragraph").positive();
  command.flag("--all", args->all, "Join lines without a mark at their end, too");
}

}  // namespace heed::bench
