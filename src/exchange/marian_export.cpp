#include "exchange/marian_export.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "exchange/plain_transformer.h"
#include "exchange/zip_writer.h"
#include "text/foreign_pieces.h"
#include "text/vocabulary.h"

namespace heed::exchange {
namespace {

/// NumPy's .npy of an array that lies row by row: its header, which ends at a multiple of 64 bytes.
std::string npy_header(std::string_view type, const std::vector<int64_t>& shape) {
  // Marian counts commas: "(2, 3)" has two dimensions, and "(2, 3, )" would have three.
  std::string extents = std::to_string(shape[0]) + ",";
  for (std::size_t d = 1; d < shape.size(); ++d)
    extents += fmt::format("{}{}", d == 1 ? " " : ", ", shape[d]);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, extents);
  constexpr std::size_t kBefore = 10, kMultiple = 64;
  header.append(kMultiple - (kBefore + header.size() + 1) % kMultiple, ' ');
  header += '\n';
  const auto size = static_cast<uint16_t>(header.size());
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  return bytes + header;
}

std::string real(double number) {
  return nlohmann::json(number).dump();
}

}  // namespace

std::string decoder_yml(const decode::DecodeConfig& config, const std::string& model,
                        const std::vector<std::string>& vocabularies) {
  const bool allows = std::ranges::count(config.forbid, "<unk>") == 0;
  std::string out = "relative-paths: true\nmodels:\n  - " + model + "\nvocabs:\n";
  for (const std::string& file : vocabularies) out += "  - " + file + "\n";
  out += fmt::format("beam-size: {}\nnormalize: {}\nword-penalty: {}\nmax-length-factor: {}\n",
                     config.beam_size, real(length_exponent(config)), real(config.word_penalty),
                     real(config.max_length_ratio));
  out += fmt::format("max-length: {}\nmax-length-crop: true\nallow-unk: {}\n",
                     config.max_source_length + 1, allows ? "true" : "false");
  return out;
}

std::vector<std::string> notes_of_search(const decode::DecodeConfig& config) {
  if (config.max_length_extra == config.max_length_ratio) return {};
  return {fmt::format(
      "Marian's longest translation is max-length-factor {} times the pieces of its source and "
      "</s>; decoding.max_length_extra {} has no equal there (--set decoding.max_length_extra={} "
      "is its search)",
      real(config.max_length_ratio), real(config.max_length_extra), real(config.max_length_ratio))};
}

std::vector<std::string> notes_of_symbols(const text::Vocabulary& source) {
  std::vector<std::string> symbols;
  for (int32_t id = 0; id < source.size(); ++id)
    if (source.has_symbol(source.piece(id))) symbols.push_back(source.piece(id));
  if (symbols.empty()) return {};
  return {
      "a line that begins with a symbol has the piece \u2581 before it there, and not in heed, so "
      "that translations may differ: " +
      join(symbols, " ")};
}

std::vector<std::string> write_marian(const OwnModel& own, const std::string& folder,
                                      const std::string& place) {
  const MarianNetwork network = marian_network(own, 1, place);
  const auto path = [&](const std::string& file) { return folder + "/" + file; };
  const bool joint = own.source.fingerprint() == own.target.fingerprint();
  const std::vector<std::string> files = joint
                                             ? std::vector<std::string>(2, "vocab.spm")
                                             : std::vector<std::string>{"source.spm", "target.spm"};
  write_atomic(path(files[0]), text::sentencepiece_file(own.source, network.source, place));
  if (!joint)
    write_atomic(path(files[1]), text::sentencepiece_file(own.target, network.target, place));
  ZipWriter model(path("model.npz"));
  for (const auto& [name, array] : network.tensors)
    model.add(name + ".npy", npy_header("<f4", array.shape) +
                                 std::string(reinterpret_cast<const char*>(array.data),
                                             array.count() * sizeof(float)));
  model.add("special:model.yml.npy",
            npy_header("|i1", {std::ssize(network.options)}) + network.options);
  model.commit();
  write_atomic(path("decoder.yml"), decoder_yml(own.decoding, "model.npz", files));
  std::vector<std::string> notes = notes_of_search(own.decoding);
  for (std::string& note : notes_of_symbols(own.source)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace heed::exchange
