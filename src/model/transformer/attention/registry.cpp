// The table of registry.def: names, help, properties and constructors.
#include <string>
#include <vector>

#include "base/error.h"
#include "base/kinds.h"
#include "config/suggest.h"
#include "model/transformer/attention/kinds.h"

namespace heed::model {

#define HEED_SELF_ATTENTION(name, weights, seen, help) \
  SelfAttentionPtr make_##name(const MultiHeadOptions&, const LayerIndex&);
#include "model/transformer/attention/registry.def"
#undef HEED_SELF_ATTENTION

namespace {

const std::vector<SelfAttentionInfo>& self_attention_kinds() {
  static const std::vector<SelfAttentionInfo> kinds = {
#define HEED_SELF_ATTENTION(name, weights, seen, help) \
  {#name, help, WeightsOf::weights, SeenBy::seen, make_##name},
#include "model/transformer/attention/registry.def"
#undef HEED_SELF_ATTENTION
  };
  return kinds;
}

}  // namespace

const std::vector<std::string>& self_attention_names() {
  static const auto names = column(self_attention_kinds(), &SelfAttentionInfo::name);
  return names;
}

const std::vector<std::string>& self_attention_helps() {
  static const auto helps = column(self_attention_kinds(), &SelfAttentionInfo::help);
  return helps;
}

const SelfAttentionInfo& self_attention_info(const std::string& name) {
  for (const SelfAttentionInfo& kind : self_attention_kinds())
    if (name == kind.name) return kind;
  throw UserError("model.self_attention: no self-attention is called '{}'{}", name,
                  config::did_you_mean(name, self_attention_names()));
}

}  // namespace heed::model
