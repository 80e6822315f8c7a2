#include "exchange/bergamot_export.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "decode/search/shortlist.h"
#include "decode/search/shortlist_table.h"
#include "exchange/marian_bin_writer.h"
#include "exchange/marian_export.h"
#include "text/foreign_pieces.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

// Bergamot's engines compute this many columns of the output layer at once.
constexpr int64_t kPiecesAtOnce = 8;

/// The place of each of heed's ids in Marian's order; -1: none.
std::vector<int64_t> places_in(const std::vector<int32_t>& rows) {
  std::vector<int64_t> places;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row] < 0) continue;
    if (std::ssize(places) <= rows[row]) places.resize(rows[row] + 1, -1);
    places[rows[row]] = static_cast<int64_t>(row);
  }
  return places;
}

std::vector<int64_t> with_end(const std::vector<int32_t>& pieces,
                              const std::vector<int64_t>& places) {
  std::vector<int64_t> ids;
  for (const int32_t piece : pieces) ids.push_back(places.at(piece));
  ids.push_back(places.at(text::kEnd));
  return ids;
}

}  // namespace

BergamotNames bergamot_names(const BergamotRequest& request) {
  const std::string pair = request.languages.empty() ? "" : request.languages + ".";
  const bool joint = request.own.source.fingerprint() == request.own.target.fingerprint();
  return {.model = "model." + pair + "intgemm.alphas.bin",
          .source = (joint ? "vocab." : "srcvocab.") + pair + "spm",
          .target = (joint ? "vocab." : "trgvocab.") + pair + "spm",
          .shortlist = request.shortlist.empty() ? "" : "lex." + pair + "s2t.bin",
          .config = "config.intgemm8bitalpha.yml"};
}

std::vector<std::string> files_of(const BergamotNames& names) {
  return {names.model, names.source, names.target, names.shortlist, names.config};
}

std::string shortlist_for_marian(const std::string& bytes, const std::vector<int32_t>& source,
                                 const std::vector<int32_t>& target, bool joint, int64_t& unknown,
                                 const std::string& place) {
  const decode::ShortlistTable own = decode::read_shortlist(bytes, place, "make it again");
  const std::vector<int64_t> places = places_in(target);
  decode::ShortlistTable out{.frequent = 2, .offsets = {0}};  // </s> and <unk>
  uint64_t best = 0;
  unknown = 0;
  for (const int32_t id : source) {
    std::vector<uint32_t> list;
    const auto add = [&](uint32_t piece) {
      if (piece < places.size() && places[piece] >= 0)
        list.push_back(static_cast<uint32_t>(places[piece]));
    };
    if (id >= text::kUnknown) {
      const uint64_t begin = own.offsets.at(id), end = own.offsets.at(id + 1);
      const bool open = end == begin + 1 && own.pieces[begin] == text::kPad;
      if (open)
        ++unknown;
      else
        for (uint64_t at = begin; at < end; ++at) add(own.pieces[at]);
      // Names are copied.
      if (joint && id > text::kEnd) add(static_cast<uint32_t>(id));
      if (id == text::kEnd)  // of every source
        for (uint64_t piece = 0; piece < own.frequent; ++piece) add(static_cast<uint32_t>(piece));
    }
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
    best = std::max<uint64_t>(best, list.size());
    out.pieces.insert(out.pieces.end(), list.begin(), list.end());
    out.offsets.push_back(out.pieces.size());
  }
  return decode::bytes_of_table(out, static_cast<int64_t>(best));
}

std::vector<std::string> write_bergamot(const BergamotRequest& request, const std::string& folder,
                                        const std::string& place) {
  const OwnModel& own = request.own;
  expect(missing_in_bergamot(own.model).empty(), "a student that Bergamot can run");
  const MarianNetwork network = marian_network(own, kPiecesAtOnce, place);
  const BergamotNames files = bergamot_names(request);
  const auto path = [&](const std::string& file) { return folder + "/" + file; };
  std::vector<std::string> notes;
  if (own.decoding.max_length_ratio != 2 || own.decoding.max_length_extra != 2)
    notes.push_back(
        "Firefox ends a translation after 2 x (pieces of its source + 1), whatever a file says; "
        "--set decoding.max_length_ratio=2 --set decoding.max_length_extra=2 is its search");
  for (std::string& note : notes_of_symbols(own.source)) notes.push_back(std::move(note));
  write_atomic(path(files.source), text::sentencepiece_file(own.source, network.source, place));
  if (files.target != files.source)
    write_atomic(path(files.target), text::sentencepiece_file(own.target, network.target, place));
  const std::vector<int64_t> sources = places_in(network.source),
                             targets = places_in(network.target);
  std::vector<IdPair> pairs;
  for (const PiecesOfPair& pair : request.pairs)
    pairs.push_back({with_end(pair.source, sources), with_end(pair.target, targets)});
  write_marian_bin(network.tensors, largest_inputs(network, own.model, pairs), network.options,
                   path(files.model));
  if (!files.shortlist.empty()) {
    int64_t unknown = 0;
    write_atomic(path(files.shortlist),
                 shortlist_for_marian(request.shortlist, network.source, network.target,
                                      files.source == files.target, unknown, place));
    if (unknown > 0)
      notes.push_back(fmt::format(
          "decoding.shortlist knows no translation of {}: heed translates a line with one of them "
          "with all pieces, and a program of this format with those of the line's other pieces",
          counted(unknown, "piece")));
  }
  std::string config = decoder_yml(own.decoding, files.model, {files.source, files.target});
  if (!files.shortlist.empty()) config += "shortlist:\n  - " + files.shortlist + "\n  - false\n";
  // The engine wants room for its longest sentence (max-length-break) in a batch.
  config +=
      "gemm-precision: int8shiftAlphaAll\nskip-cost: true\nquiet: true\nalignment: soft\n"
      "max-length-break: 128\nmini-batch-words: 1024\nworkspace: 128\n";
  write_atomic(path(files.config), config);
  return notes;
}

}  // namespace heed::exchange
