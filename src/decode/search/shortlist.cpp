#include "decode/search/shortlist.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "decode/search/shortlist_table.h"

namespace heed::decode {
namespace {

constexpr uint64_t kMagic = 0xF11A48D5013417F5;
// Every translation may have these first pieces: <unk> and </s>; the others of them are in no
// translation.
constexpr uint64_t kSpecial = text::kEnd + 1;

struct Header {
  uint64_t magic, checksum, frequent, best, offsets, pieces;
};

/// Returns the checksum of Marian's format, over the whole words of 8 bytes that follow it in the
/// file.
uint64_t checksum_of(std::string_view bytes) {
  uint64_t sum = 0, word;
  for (bytes.remove_prefix(offsetof(Header, frequent)); bytes.size() >= sizeof word;
       bytes.remove_prefix(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    sum ^= word + 0x9E3779B9 + (sum << 6) + (sum >> 2);
  }
  return sum;
}

/// Returns the list of `<pad>`: pieces that stand for the checksums of both vocabularies.
PieceList seal_of(const text::Vocabulary& source, const text::Vocabulary& target) {
  PieceList seal;
  for (const char digit : source.fingerprint() + target.fingerprint())
    seal.push_back((digit <= '9' ? digit - '0' : digit - 'a' + 10) % target.size());
  return seal;
}

template <class Number>
void append(std::string& bytes, std::span<const Number> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

template <class Number>
std::vector<Number> take(std::string_view& bytes, uint64_t count) {
  std::vector<Number> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), count * sizeof(Number));
  bytes.remove_prefix(count * sizeof(Number));
  return numbers;
}

}  // namespace

ShortlistTable read_shortlist(std::string_view bytes, const std::string& name,
                              const std::string& cure) {
  Header header{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (header.magic != kMagic) throw UserError("{}: is no shortlist; {}", name, cure);
  const UserError damaged("{}: is damaged; {}", name, cure);
  const uint64_t most = bytes.size();
  const bool whole = header.offsets > 0 && header.offsets <= most && header.pieces <= most &&
                     sizeof header + 8 * header.offsets + 4 * header.pieces == most &&
                     checksum_of(bytes) == header.checksum;
  if (!whole) throw damaged;
  bytes.remove_prefix(sizeof header);
  ShortlistTable file{.frequent = header.frequent,
                      .offsets = take<uint64_t>(bytes, header.offsets)};
  file.pieces = take<uint32_t>(bytes, header.pieces);
  if (!std::ranges::is_sorted(file.offsets) || file.offsets.front() != 0 ||
      file.offsets.back() != header.pieces)
    throw damaged;
  return file;
}

Shortlist::Shortlist(std::string_view bytes, const std::string& name,
                     const text::Vocabulary& source, const text::Vocabulary& target)
    : joint_(source.fingerprint() == target.fingerprint()), always_(target.size()) {
  ShortlistTable file = read_shortlist(bytes, name, "`heed shortlist` makes one");
  offsets_ = std::move(file.offsets);
  pieces_ = std::move(file.pieces);
  const auto size = static_cast<uint32_t>(target.size());
  const auto is_sealed = [&] {
    const std::span seal(pieces_.begin() + offsets_[text::kPad],
                         pieces_.begin() + offsets_[text::kPad + 1]);
    return seal.empty() || std::ranges::equal(seal, seal_of(source, target));
  };
  const bool fits = std::ssize(offsets_) == source.size() + 1 &&
                    std::ranges::none_of(pieces_, [&](uint32_t piece) { return piece >= size; }) &&
                    is_sealed();
  if (!fits)
    throw UserError(name +
                    ": belongs to other vocabularies than the model; make one for it with "
                    "`heed shortlist`");
  std::fill_n(always_.begin(), std::min<uint64_t>(std::max(file.frequent, kSpecial), size), 1);
  for (uint64_t i = offsets_[text::kEnd]; i < offsets_[text::kEnd + 1]; ++i)
    always_[pieces_[i]] = 1;
  if (is_of_other_languages(source, target))
    throw UserError(name +
                    ": was made for other languages; make one for these with `heed shortlist`");
}

bool Shortlist::is_of_other_languages(const text::Vocabulary& source,
                                      const text::Vocabulary& target) const {
  if (is_open(source.beginning())) return true;  // no line would have a list
  const auto is_always = [&](int32_t piece) { return always_[piece] != 0; };
  if (std::ranges::all_of(target.beginning(), is_always)) return false;
  // A file of heed 0.1.0 has no symbols of languages.
  for (int32_t piece = text::kEnd + 1; piece < target.size(); ++piece)
    if (is_always(piece) && target.has_symbol(target.piece(piece))) return true;
  return false;
}

bool Shortlist::is_open(std::span<const int32_t> source) const {
  return std::ranges::any_of(source, [&](int32_t piece) {
    return offsets_[piece + 1] - offsets_[piece] == kUnknownTranslations.size() &&
           static_cast<int32_t>(pieces_[offsets_[piece]]) == kUnknownTranslations.front();
  });
}

PieceList Shortlist::pieces_for(std::span<const int32_t> source,
                                std::span<const int32_t> prefix) const {
  PieceList out;
  if (is_open(source)) {
    out.resize(always_.size());
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  std::vector<char> taken = always_;
  for (const int32_t piece : source) {
    for (uint64_t i = offsets_[piece]; i < offsets_[piece + 1]; ++i) taken[pieces_[i]] = 1;
    if (joint_) taken[piece] = 1;
  }
  for (const int32_t piece : prefix) taken[piece] = 1;
  for (int32_t piece = 0; piece < std::ssize(taken); ++piece)
    if (taken[piece] != 0) out.push_back(piece);
  return out;
}

std::string bytes_of_table(const ShortlistTable& table, int64_t best) {
  Header header{kMagic,
                0,
                table.frequent,
                static_cast<uint64_t>(best),
                table.offsets.size(),
                table.pieces.size()};
  std::string bytes(sizeof header, '\0');
  append(bytes, std::span<const uint64_t>(table.offsets));
  append(bytes, std::span<const uint32_t>(table.pieces));
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = checksum_of(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::string shortlist_bytes(std::vector<PieceList> lists, int64_t best,
                            const text::Vocabulary& source, const text::Vocabulary& target) {
  expect(std::ssize(lists) == source.size(), "a list for each piece");
  lists[text::kPad] = seal_of(source, target);
  ShortlistTable table{.frequent = kSpecial, .offsets = {0}};
  for (const PieceList& list : lists) {
    table.pieces.insert(table.pieces.end(), list.begin(), list.end());
    table.offsets.push_back(table.pieces.size());
  }
  return bytes_of_table(table, best);
}

}  // namespace heed::decode
