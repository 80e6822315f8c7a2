#include "data/corpus.h"

#include <bit>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "data/batch.h"
#include "data/example.h"
#include "data/terms.h"
#include "text/words.h"

namespace heed::data {
namespace {

void mix_in_all(uint64_t& checksum, const std::vector<int32_t>& ids) {
  mix_in(checksum, ids.size());
  for (const int32_t id : ids) mix_in(checksum, static_cast<uint64_t>(id));
}

std::string happened(const Notice& notice, const std::string& what) {
  return notice.count == 0 ? "" : fmt::format("\n  {}: {}", what, notice.text());
}

std::string_view text_at(const Sequences<char>& texts, int64_t i) {
  return {texts[i].data(), texts[i].size()};
}

}  // namespace

std::string CorpusReport::text() const {
  std::string text = fmt::format("{}: {} of {} pairs, {} + {} pieces", files_text(source, target),
                                 kept, pairs, source_pieces, target_pieces);
  if (source_unknown + target_unknown > 0)
    text += fmt::format(", {} + {} of them unknown", source_unknown, target_unknown);
  text += happened(blank, "left out, a side is blank");
  for (std::size_t i = 0; i < kFlaws; ++i)
    text += happened(cleaned[i], "left out, " + describe(static_cast<Flaw>(i), clean_ratio));
  text += happened(wordy, fmt::format("left out, more than data.max_words = {}", max_words));
  text += happened(dropped, fmt::format("left out, longer than {} pieces", max_length));
  text += happened(truncated, fmt::format("cut to {} pieces", max_length));
  if (!alignment.empty()) {
    text += fmt::format("\n  {}: {} links of words", alignment, links);
    if (without_links > 0) text += fmt::format(", none in {} pairs", without_links);
  }
  text +=
      happened(other_words, "links left out, the vocabulary finds other words than the text has");
  return text;
}

void Ids::append(const std::vector<int32_t>& ids) {
  if (!narrow_) return large_.append(ids);
  const std::vector<uint16_t> narrow(ids.begin(), ids.end());
  small_.append(narrow);
}

void Ids::seal() {
  small_.seal();
  large_.seal();
}

std::vector<int32_t> Ids::operator[](int64_t i) const {
  const auto widened = [](auto ids) { return std::vector<int32_t>(ids.begin(), ids.end()); };
  return narrow_ ? widened(small_[i]) : widened(large_[i]);
}

std::string Ids::address() const {
  return std::to_string(narrow_ ? 1 : 0) + " " + (narrow_ ? small_.address() : large_.address());
}

Ids Ids::at(std::istream& address) {
  Ids ids;
  address >> ids.narrow_;
  if (ids.narrow_)
    ids.small_ = Sequences<uint16_t>::at(address);
  else
    ids.large_ = Sequences<int32_t>::at(address);
  return ids;
}

std::string Corpus::address() const {
  std::ostringstream out;
  out << fingerprint_ << ' ' << max_length_ << ' ' << has_text_ << ' ' << has_links_ << ' '
      << parts_.size();
  for (const Part& part : parts_)
    out << ' ' << part.begin << ' ' << part.end << ' ' << std::bit_cast<uint64_t>(part.weight);
  out << ' ' << source_.address() << ' ' << target_.address() << ' ' << origins_.address() << ' '
      << source_text_.address() << ' ' << target_text_.address() << ' ' << links_.address();
  return out.str();
}

Corpus Corpus::at(const std::string& address, const text::Vocabulary& source,
                  const text::Vocabulary& target) {
  std::istringstream in(address);
  Corpus corpus;
  corpus.source_end_ = source.has_end();
  std::size_t parts = 0;
  in >> corpus.fingerprint_ >> corpus.max_length_ >> corpus.has_text_ >> corpus.has_links_ >> parts;
  if (corpus.has_text_ || corpus.has_links_) corpus.languages_ = Languages{source, target};
  for (; parts > 0; --parts) {
    Part part;
    uint64_t weight = 0;
    in >> part.begin >> part.end >> weight;
    part.weight = std::bit_cast<double>(weight);
    corpus.parts_.push_back(part);
  }
  corpus.source_ = Ids::at(in);
  corpus.target_ = Ids::at(in);
  std::string origins;
  in >> origins;
  corpus.origins_ = ScratchArray<Origin>::at(origins);
  corpus.source_text_ = Sequences<char>::at(in);
  corpus.target_text_ = Sequences<char>::at(in);
  corpus.links_ = Sequences<PieceLink>::at(in);
  expect(static_cast<bool>(in), "the address of a corpus");
  return corpus;
}

void Corpus::append(const Example& example) {
  Origin origin = example.origin;
  origin.index = size();
  source_.append(example.source);
  target_.append(example.target);
  origins_.push_back(origin);
  mix_in_all(fingerprint_, example.source);
  mix_in_all(fingerprint_, example.target);
  if (!has_links_) return;
  links_.append(example.links);
  mix_in(fingerprint_, example.links.size());
  for (const PieceLink& link : example.links)
    mix_in(fingerprint_,
           (static_cast<uint64_t>(link.target) << 32) | static_cast<uint64_t>(link.source));
}

void Corpus::finish() {
  source_.seal();
  target_.seal();
  origins_.seal();
  source_text_.seal();
  target_text_.seal();
  links_.seal();
  for (const Part& part : parts_) {
    mix_in(fingerprint_, static_cast<uint64_t>(part.end));
    mix_in(fingerprint_, std::bit_cast<uint64_t>(part.weight));
  }
}

Example Corpus::without_links(int64_t i) const {
  return {source_[i], target_[i], origins_[i], {}, source_end_};
}

/// Adds the links between the pieces of an example.
void Corpus::add_links(int64_t i, Example& example, const NoisyPair* noisy) const {
  if (!has_links_ || links_.length(i) == 0) return;
  const std::span<const PieceLink> kept = links_[i];
  example.links.assign(kept.begin(), kept.end());
  if (noisy) {
    example.links.clear();
    if (noisy->words.size() !=
            static_cast<std::size_t>(text::count_words(text_at(source_text_, i))) ||
        text::words_of(languages_->source, example.source).words !=
            text::count_words(noisy->source))
      return;
    for (const PieceLink& link : kept)
      for (auto [word, end] = noisy->words[link.source]; word < end; ++word)
        example.links.push_back({link.target, word});
  }
  if (languages_)
    example.links =
        links_of_pieces(example.links, text::words_of(languages_->source, example.source),
                        text::words_of(languages_->target, example.target));
}

Example Corpus::example(int64_t i) const {
  Example example = without_links(i);
  add_links(i, example);
  return example;
}

NoisyPair Corpus::changed(int64_t i, const NoiseConfig& noise, double terms,
                          const std::function<uint64_t(uint64_t)>& seed) const {
  NoisyPair pair{std::string(text_at(source_text_, i)), std::string(text_at(target_text_, i)), {}};
  if (is_noisy(noise))
    pair = with_noise(noise, pair.source, pair.target, seed(3), [&](const std::string& word) {
      return languages_->source.has_symbol(word) || languages_->target.has_symbol(word);
    });
  if (terms == 0 || !has_links_) return pair;
  const int64_t words = text::count_words(text_at(source_text_, i));
  if (!is_noisy(noise))
    for (int32_t word = 0; word < words; ++word) pair.words.emplace_back(word, word + 1);
  // The words of the noise are separated by blanks; where the links count words otherwise, they do
  // not fit.
  if (std::ssize(pair.words) == words)
    pair = with_terms(std::move(pair), links_[i], terms, seed(4));
  return pair;
}

Example Corpus::sample(int64_t i, double alpha, uint64_t seed, const NoiseConfig& noise,
                       double terms) const {
  if (!has_text_) return example(i);
  const std::string_view source = text_at(source_text_, i), target = text_at(target_text_, i);
  const auto drawn_seed = [&](uint64_t use) {
    uint64_t state = seed ^ use;
    return splitmix64(state);
  };
  std::optional<NoisyPair> noisy;
  if (is_noisy(noise) || terms > 0) {
    noisy = changed(i, noise, terms, drawn_seed);
    if (noisy->source == source && noisy->target == target) noisy.reset();
  }
  Example example = without_links(i);
  bool fits = true;
  const auto draw = [&](const text::Vocabulary& vocabulary, std::string_view text, uint64_t side,
                        std::vector<int32_t>& ids) {
    auto drawn =
        alpha > 0 ? vocabulary.sample(text, alpha, drawn_seed(side)) : vocabulary.encode(text);
    const auto length = static_cast<int64_t>(drawn.size());
    if (max_length_ == 0 || length <= max_length_)
      ids = std::move(drawn);
    else
      fits = false;
  };
  if (noisy || alpha > 0) {
    draw(languages_->source, noisy ? noisy->source : source, 1, example.source);
    draw(languages_->target, noisy ? noisy->target : target, 2, example.target);
  }
  if (noisy && !fits) return sample(i, alpha, seed);
  add_links(i, example, noisy ? &*noisy : nullptr);
  return example;
}

std::size_t Corpus::on_disk() const {
  return source_.on_disk() + target_.on_disk() + origins_.on_disk() + source_text_.on_disk() +
         target_text_.on_disk() + links_.on_disk();
}

std::string Corpus::report() const {
  std::string text;
  for (const CorpusReport& report : reports_) text += (text.empty() ? "" : "\n") + report.text();
  return text;
}

}  // namespace heed::data
