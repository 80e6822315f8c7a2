#include "data/pair_reader.h"

#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "data/slips.h"
#include "text/tmx_lines.h"
#include "text/tsv.h"

namespace heed::data {
namespace {

constexpr std::size_t kBlock = 1 << 15;  // pairs encoded at a time
constexpr std::size_t kBlockBytes = 64 << 20;

text::LineReader open(const std::string& path, const std::string& what) {
  if (path != "-") text::require_text_file(path, what);
  return text::LineReader(path);
}

void require_lines(const text::LineReader& reader) {
  if (reader.line_number() == 0)
    throw UserError(reader.path() + " is empty; expected one sentence a line");
}

}  // namespace

PairFacts facts_of(const PairOfLines& lines) {
  return {facts_of(lines.source), facts_of(lines.target)};
}

std::vector<std::string> first_targets(const CorpusFiles& files) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::string> targets;
  PairReader reader(files);
  for (PairOfLines pair; targets.size() < kMost && reader.next(pair);)
    targets.push_back(std::move(pair.target));
  return targets;
}

PairReader::PairReader(const CorpusFiles& files, bool aligned)
    : source_(open(files.source, files.target.empty() ? "sentence pairs" : "source sentences")) {
  if (!files.target.empty()) target_.emplace(open(files.target, "target sentences"));
  if (aligned && !files.alignment.empty()) alignment_.emplace(files.alignment);
}

std::vector<const text::LineReader*> PairReader::readers() const {
  if (target_) return {&source_, &*target_};
  return {&source_};
}

bool PairReader::next(PairOfLines& pair) {
  bool more = false;
  if (target_) {
    more = source_.next(pair.source);
    if (more != target_->next(pair.target)) mismatch();
  } else if ((more = source_.next(line_))) {
    const text::Columns columns = text::columns_of(line_, source_);
    pair.source = columns.source;
    pair.target = columns.target;
  }
  if (!more) {
    for (const auto* reader : readers()) {
      require_lines(*reader);
      text::require_utf8(*reader);
    }
    if (alignment_) alignment_->end(source_.line_number());
    return false;
  }
  pair.number = source_.line_number();
  if (alignment_) pair.links = alignment_->next(pair.source, pair.target);
  return true;
}

std::vector<PairOfLines> PairReader::block() {
  std::vector<PairOfLines> pairs;
  PairOfLines pair;
  for (std::size_t bytes = 0; pairs.size() < kBlock && bytes < kBlockBytes && next(pair);) {
    bytes += pair.source.size() + pair.target.size();
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<std::string> PairReader::damage() const {
  std::vector<std::string> found;
  for (const auto* reader : readers()) {
    if (const auto flaw = target_ ? text::csv_flaw(reader->path()) : std::nullopt)
      found.push_back(*flaw);
    if (reader->was_open())
      found.push_back(fmt::format(
          "{}:{}: the last line has no line feed, and counts as whole; was the file cut off?",
          reader->path(), reader->line_number()));
    const text::Encoding& encoding = reader->encoding();
    if (encoding.not_utf8 > 0)
      found.push_back(fmt::format(
          "{}: lines that are not UTF-8: {}, the first is line {}; the broken bytes count as "
          "U+FFFD{}",
          reader->path(), encoding.repaired, encoding.first_repaired,
          encoding.with_nul > 0 ? ", and NUL as a blank" : ""));
    else if (encoding.with_nul > 0)
      found.push_back(
          fmt::format("{}: lines with a NUL byte: {}, the first is line {}; NUL counts as a blank",
                      reader->path(), encoding.with_nul, encoding.first_repaired));
  }
  return found;
}

void PairReader::warn_of_damage() const {
  for (const std::string& found : damage()) log::warn(found);
}

void PairReader::mismatch() {
  std::string rest;
  while (source_.next(rest)) {
  }
  while (target_->next(rest)) {
  }
  for (const auto* reader : readers()) {
    require_lines(*reader);
    text::require_utf8(*reader);  // in UTF-16 other bytes end lines, which would explain it
  }
  std::string advice;
  for (const auto* reader : readers())
    if (const auto flaw = text::csv_flaw(reader->path())) advice = "; " + *flaw;
  if (advice.empty() && !text::is_stream(source_.path()) && !text::is_stream(target_->path())) {
    const Slips slips = find_slips(source_.path(), target_->path());
    if (const auto fault = slips.fault(source_.path(), target_->path()))
      advice = "; " + fault->message;
    else if (slips.could_be_seen())
      advice = fmt::format("; the lines that both have fit, and `{}` leaves out the others",
                           realign_command(source_.path(), target_->path()));
  }
  throw UserError(
      "{} has {} lines and {} has {}; line i of one must be the translation of line i of the "
      "other{}",
      source_.path(), source_.line_number(), target_->path(), target_->line_number(), advice);
}

}  // namespace heed::data
