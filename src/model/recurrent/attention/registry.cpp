// The table of registry.def: names, help, timing and constructors.
#include <string>
#include <vector>

#include "base/error.h"
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
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const AttentionKindInfo& kind : table()) result.emplace_back(kind.name);
    return result;
  }();
  return names;
}

const std::vector<std::string>& attention_helps() {
  static const std::vector<std::string> helps = [] {
    std::vector<std::string> result;
    for (const AttentionKindInfo& kind : table()) result.emplace_back(kind.help);
    return result;
  }();
  return helps;
}

const AttentionKindInfo& attention_info(const std::string& name) {
  for (const AttentionKindInfo& kind : table())
    if (name == kind.name) return kind;
  throw UserError("model.attention: no attention is called '" + name + "'" +
                  config::did_you_mean(name, attention_names()));
}

}  // namespace heed::model
