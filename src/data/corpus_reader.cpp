#include "data/corpus_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/batch.h"
#include "data/config.h"
#include "data/corpus.h"
#include "data/example.h"
#include "data/flaws.h"
#include "data/links.h"
#include "data/origin.h"
#include "data/pair_reader.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "text/words.h"

namespace heed::data {
class CorpusReader {
 public:
  CorpusReader(const text::Vocabulary& source, const text::Vocabulary& target,
               const CorpusReading& reading)
      : source_(source), target_(target), reading_(reading), cleaner_(reading.cleaning) {
    corpus_.source_ = Ids(source.size(), reading.scratch);
    corpus_.source_end_ = source.has_end();
    corpus_.target_ = Ids(target.size(), reading.scratch);
    corpus_.origins_ = ScratchArray<Origin>(reading.scratch);
    corpus_.source_text_ = Sequences<char>(reading.scratch);
    corpus_.target_text_ = Sequences<char>(reading.scratch);
    corpus_.links_ = Sequences<PieceLink>(reading.scratch);
    corpus_.has_text_ = reading.keep_text;
    corpus_.has_links_ = reading.aligned;
    if (reading.keep_text || reading.aligned)
      corpus_.languages_ = Corpus::Languages{source, target};
    corpus_.max_length_ = reading.max_length;
  }

  void read(const CorpusFiles& files) {
    const int64_t begin = corpus_.size();
    const auto number = static_cast<int32_t>(corpus_.parts_.size());
    report_ = {.source = files.source,
               .target = files.target,
               .max_length = reading_.max_length,
               .max_words = reading_.max_words};
    report_.clean_ratio = reading_.cleaning.ratio;
    if (reading_.aligned) report_.alignment = files.alignment;
    if (!files.tag.empty()) source_.require_symbols({files.tag}, "data.train.tag");
    cleaner_.begin(files);
    PairReader reader(files, reading_.aligned);
    for (;;) {
      const std::vector<PairOfLines> lines = reader.block();
      if (lines.empty()) break;
      std::vector<Example> examples = encode(lines, files.tag);
      for (std::size_t i = 0; i < lines.size(); ++i)
        keep(lines[i], files.tag, std::move(examples[i]), number);
    }
    reader.warn_of_damage();
    corpus_.parts_.push_back({begin, corpus_.size(), files.weight});
    corpus_.reports_.push_back(report_);
  }

  Corpus finish() {
    if (corpus_.size() == 0) {
      const auto too_long = [](const CorpusReport& report) { return report.dropped.count > 0; };
      throw UserError(
          "no sentence pair is left to use: " + corpus_.report() +
          (std::ranges::any_of(corpus_.reports_, too_long) ? "; see " + reading_.limit : ""));
    }
    corpus_.finish();
    return std::move(corpus_);
  }

 private:
  /// Encodes the pairs; blank ones stay without ids.
  std::vector<Example> encode(const std::vector<PairOfLines>& lines, const std::string& tag) const {
    std::vector<Example> examples(lines.size());
    for_slices(static_cast<int64_t>(lines.size()), reading_.threads,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   if (text::is_blank(lines[i].source) || text::is_blank(lines[i].target)) continue;
                   examples[i].source = source_.encode(tagged(lines[i].source, tag));
                   examples[i].target = target_.encode(lines[i].target);
                   examples[i].links = links_of(lines[i], tag, examples[i]);
                 }
               });
    return examples;
  }

  /// The links of the words in the line with its tag; none where the pieces have other words.
  std::vector<PieceLink> links_of(const PairOfLines& line, const std::string& tag,
                                  const Example& example) const {
    if (line.links.empty()) return {};
    const int32_t before = tag.empty() ? 0 : 1;
    if (text::words_of(source_, example.source).words != text::count_words(line.source) + before ||
        text::words_of(target_, example.target).words != text::count_words(line.target))
      return {};
    std::vector<PieceLink> links = line.links;
    for (PieceLink& link : links) link.source += before;
    return links;
  }

  static std::string tagged(const std::string& line, const std::string& tag) {
    return tag.empty() ? line : tag + " " + line;
  }

  void keep(const PairOfLines& line, const std::string& tag, Example example, int32_t number) {
    ++report_.pairs;
    if (example.source.empty() || example.target.empty()) return report_.blank.add(line.number);
    if (const auto flaw = cleaner_.flaw_of(line))
      return report_.cleaned[index_of(*flaw)].add(line.number);
    if (reading_.max_words > 0 && std::max(text::count_words(line.source),
                                           text::count_words(line.target)) > reading_.max_words)
      return report_.wordy.add(line.number);
    if (reading_.max_length > 0 && !fit(line, example)) return;
    ++report_.kept;
    report_.source_pieces += static_cast<int64_t>(example.source.size());
    report_.target_pieces += static_cast<int64_t>(example.target.size());
    report_.source_unknown += std::ranges::count(example.source, text::kUnknown);
    report_.target_unknown += std::ranges::count(example.target, text::kUnknown);
    if (!report_.alignment.empty()) {
      report_.links += std::ssize(example.links);
      if (example.links.empty()) ++report_.without_links;
      if (example.links.size() != line.links.size()) report_.other_words.add(line.number);
    }
    example.origin = {number, line.number};
    corpus_.append(example);
    if (!reading_.keep_text) return;
    corpus_.source_text_.append(tagged(line.source, tag));
    corpus_.target_text_.append(line.target);
  }

  /// Deals with a pair that is too long; false where it is left out.
  bool fit(const PairOfLines& line, Example& example) {
    const auto limit = static_cast<std::size_t>(reading_.max_length);
    const std::size_t longer = std::max(example.source.size(), example.target.size());
    if (longer <= limit) return true;
    if (reading_.long_sentences == LongSentences::error) {
      const bool source = example.source.size() > limit || report_.target.empty();
      const std::string& path = source ? report_.source : report_.target;
      throw UserError(
          "{}:{}: {} pieces, more than the {} that {} allows; raise it, or set "
          "data.long_sentences, for training data, to drop or truncate",
          path, line.number, longer, limit, reading_.limit);
    }
    if (reading_.long_sentences == LongSentences::drop) {
      report_.dropped.add(line.number);
      return false;
    }
    report_.truncated.add(line.number);
    example.source.resize(std::min(example.source.size(), limit));
    example.target.resize(std::min(example.target.size(), limit));
    return true;
  }

  const text::Vocabulary &source_, &target_;
  CorpusReading reading_;
  Cleaner cleaner_;
  Corpus corpus_;
  CorpusReport report_;
};

Corpus read_corpus(const std::vector<CorpusFiles>& files, const text::Vocabulary& source,
                   const text::Vocabulary& target, const CorpusReading& reading) {
  if (files.empty()) throw UserError("data.train names no files; give source and target");
  CorpusReading own = reading;
  own.aligned = reading.aligned && std::ranges::any_of(files, [](const CorpusFiles& one) {
                  return !one.alignment.empty();
                });
  CorpusReader reader(source, target, own);
  for (const CorpusFiles& pair : files) reader.read(pair);
  return reader.finish();
}

}  // namespace heed::data
