#include "apps/bottleneck/titles.h"

#include <algorithm>
#include <cctype>

namespace heed {
namespace {

using model::ModelConfig;
using model::ModelType;

std::string with_input_feeding(const ModelConfig& model) {
  return model.input_feeding ? " with input feeding" : "";
}

std::string title_of(const ModelConfig& model) {
  if (model.type == ModelType::transformer) return "Transformer";
  if (model.attention == "none") return "without attention";
  std::string title = model.attention;
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  if (model.window != model::Window::global) title += ", window " + config::name_of(model.window);
  return title + with_input_feeding(model);
}

}  // namespace

std::string describe_model(const ModelConfig& model) {
  if (model.type == ModelType::transformer)
    return "Transformer, " + std::to_string(model.encoder_layers) + "+" +
           std::to_string(model.decoder_layers) + " layers, width " + std::to_string(model.width) +
           ", " + std::to_string(model.heads) + " heads";
  const std::string attention = model.attention == "none"
                                    ? "no attention: the encoder's last states are all it sees"
                                    : "attention " + model.attention;
  return std::string(model.cell == model::Cell::gru ? "GRU" : "LSTM") + " encoder-decoder, width " +
         std::to_string(model.hidden_size) + ", " + attention + with_input_feeding(model);
}

std::vector<std::string> titles_of(const std::vector<FamilyMember>& members) {
  std::vector<std::string> plain, titles;
  for (const FamilyMember& member : members) plain.push_back(title_of(member.config.model));
  for (std::size_t i = 0; i < members.size(); ++i)
    titles.push_back(std::count(plain.begin(), plain.end(), plain[i]) == 1
                         ? plain[i]
                         : plain[i] + " (" + members[i].name + ")");
  return titles;
}

}  // namespace heed
