#include "exchange/marian_shortlist.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "decode/search/shortlist.h"
#include "engine/output_product.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

constexpr const char* kCure = "copy it again, or import without it";

/// heed's id of each of the program's; -1: none. Pieces that the program does not know have <unk>'s
/// id there.
std::vector<int32_t> own_ids(const std::vector<int64_t>& foreign) {
  std::vector<int32_t> own(std::ranges::max(foreign) + 1, -1);
  for (int32_t id = 0; id < std::ssize(foreign); ++id)
    if (foreign[id] >= 0 && own[foreign[id]] < 0) own[foreign[id]] = id;
  return own;
}

}  // namespace

std::string shortlist_of_marian(std::string_view file, const std::string& place,
                                const SideVocabularies& sides) {
  const decode::ShortlistTable table = decode::read_shortlist(file, place, kCure);
  const std::vector<int64_t>&of_source = sides.source.foreign_id,
        &of_target = sides.target.foreign_id;
  const std::vector<int32_t> own = own_ids(of_target);
  const int64_t known = std::ranges::max(of_source) + 1, listed = std::ssize(table.offsets) - 1;
  const auto is_outside = [&](uint32_t piece) { return piece >= own.size(); };
  if (listed != known || std::ranges::any_of(table.pieces, is_outside))
    throw UserError(
        "{}: has lists for {} source pieces and ids up to {}, and the model {} source and {} "
        "target "
        "pieces: it belongs to another model; {}",
        place, listed, table.pieces.empty() ? 0 : std::ranges::max(table.pieces), known, own.size(),
        kCure);
  const auto add = [&](uint32_t piece, engine::PieceList& list) {
    if (own[piece] >= 0) list.push_back(own[piece]);
  };
  std::vector<engine::PieceList> lists(of_source.size());
  uint64_t longest = 0;
  for (std::size_t id = 0; id < lists.size(); ++id) {
    if (of_source[id] < 0) continue;
    const uint64_t begin = table.offsets[of_source[id]], end = table.offsets[of_source[id] + 1];
    longest = std::max(longest, end - begin);
    for (uint64_t at = begin; at < end; ++at) add(table.pieces[at], lists[id]);
  }
  // Every source has </s>, and so its list.
  for (uint64_t piece = 0; piece < std::min<uint64_t>(table.frequent, own.size()); ++piece)
    add(static_cast<uint32_t>(piece), lists[text::kEnd]);
  for (engine::PieceList& list : lists) {
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
  }
  return decode::shortlist_bytes(std::move(lists), static_cast<int64_t>(longest),
                                 sides.source.vocabulary, sides.target.vocabulary);
}

}  // namespace heed::exchange
