// The table of registry.def: names, help, timing and constructors.
#include <string>
#include <vector>

#include "base/error.h"
#include "base/kinds.h"
#include "config/suggest.h"
#include "model/recurrent/attention/attention.h"

namespace heed::model {

#define HEED_ATTENTION(name, timing, help) AttentionPtr make_##name(const AttentionSize& size);
#include "model/recurrent/attention/registry.def"
#undef HEED_ATTENTION

namespace {

const std::vector<AttentionKindInfo>& table() {
  static const std::vector<AttentionKindInfo> kinds = {
#define HEED_ATTENTION(name, timing, help) {#name, help, Timing::timing, make_##name},
#include "model/recurrent/attention/registry.def"
#undef HEED_ATTENTION
  };
  return kinds;
}

}  // namespace

const std::vector<std::string>& attention_names() {
  static const auto names = column(table(), &AttentionKindInfo::name);
  return names;
}

const std::vector<std::string>& attention_helps() {
  static const auto helps = column(table(), &AttentionKindInfo::help);
  return helps;
}

const AttentionKindInfo& attention_info(const std::string& name) {
  for (const AttentionKindInfo& kind : table())
    if (name == kind.name) return kind;
  throw UserError("model.attention: no attention is called '{}'{}", name,
                  config::did_you_mean(name, attention_names()));
}

}  // namespace heed::model
