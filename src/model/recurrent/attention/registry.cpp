// The constructors of registry.def.

#include <string>

#include "base/error.h"
#include "model/recurrent/attention/attention.h"

namespace heed::model {

#define HEED_ATTENTION(name, timing, scores, help) \
  AttentionPtr make_##name(const AttentionSize& size);
#include "model/recurrent/attention/registry.def"
#undef HEED_ATTENTION

AttentionMaker attention_maker(const std::string& name) {
#define HEED_ATTENTION(kind, timing, scores, help) \
  if (name == #kind) return make_##kind;
#include "model/recurrent/attention/registry.def"
#undef HEED_ATTENTION
  throw Bug("an attention of the registry");
}

}  // namespace heed::model
