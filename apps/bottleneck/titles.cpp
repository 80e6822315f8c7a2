#include "apps/bottleneck/titles.h"

#include <algorithm>
#include <cctype>

#include "model/traits.h"

namespace heed {
namespace {

std::string title_of(const model::ModelConfig& model) {
  const model::Traits traits = model::traits(model);
  if (traits.has_self_attention) return "Transformer";
  if (!traits.attends()) return "without attention";
  std::string title = traits.name;
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  if (model.window != model::Window::global) title += ", window " + config::name_of(model.window);
  return title + (model.input_feeding ? " with input feeding" : "");
}

}  // namespace

std::vector<std::string> titles_of(const std::vector<run::FamilyMember>& members) {
  std::vector<std::string> plain, titles;
  for (const run::FamilyMember& member : members) plain.push_back(title_of(member.config.model));
  for (std::size_t i = 0; i < members.size(); ++i)
    titles.push_back(std::count(plain.begin(), plain.end(), plain[i]) == 1
                         ? plain[i]
                         : plain[i] + " (" + members[i].name + ")");
  return titles;
}

}  // namespace heed
