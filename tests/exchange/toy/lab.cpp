// Transformers that a lab's own script has trained: sizes.json, pieces.model, and
// weights.safetensors, in which modules have the names of Hugging Face's transformers.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exchange/formats.h"
#include "exchange/json_object.h"
#include "exchange/side_vocabularies.h"
#include "exchange/tensors.h"

namespace heed::exchange {
namespace {

class LabTransformer : public ForeignTransformer {
 public:
  explicit LabTransformer(const engine::Weights& weights) : weights_(weights) {}

  Affine module(const PeerModule& module) const override {
    std::vector<Affine> parts;
    for (const std::string& name : module.hugging_face)
      parts.push_back({weights_.at(name + ".weight"), weights_.at(name + ".bias")});
    return parts.size() == 1 ? parts[0] : joined(parts);
  }
  engine::Array embedding(bool) const override { return weights_.at("model.shared.weight"); }
  Affine output() const override { return {}; }                // tied, without a bias
  engine::Array positions(bool) const override { return {}; }  // sinusoids

 private:
  const engine::Weights& weights_;
};

}  // namespace

std::string lab_file_in(const Package& package) {
  return package.has("sizes.json") ? "sizes.json" : "";
}

ForeignModel read_lab(const Package& package, const SegmentFiles&) {
  const JsonObject sizes(package, "sizes.json");
  ForeignModel out{.program = "Lab"};
  out.model.width = sizes.number("width");
  out.model.feed_forward = sizes.number("inner");
  out.model.heads = sizes.number("heads");
  out.model.encoder_layers = out.model.decoder_layers = sizes.number("layers");
  out.model.tie = model::Tie::all;
  out.model = checked(out.model, sizes.place());
  const std::string file = "weights.safetensors", place = package.place_of(file);
  std::map<std::string, engine::Array> arrays;
  for (const auto& [name, tensor] : read_safetensors(package.read(file), place))
    arrays[name] = array_of(tensor, place + ": " + name);
  const engine::Weights weights(std::move(arrays), place);
  const SegmentFile segments = segment_file(package, "pieces.model");
  const text::ForeignPieces pieces{.names = text::all_pieces(segments.bytes, segments.place),
                                   .unknown = "<unk>",
                                   .begin = "<s>",
                                   .end = "</s>"};
  finish(out, LabTransformer(weights), one_vocabulary(segments, pieces), {}, place);
  return out;
}

}  // namespace heed::exchange
