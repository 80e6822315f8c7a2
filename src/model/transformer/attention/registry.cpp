// The constructors of registry.def.
#include "base/error.h"
#include "model/transformer/attention/attention.h"

namespace heed::model {

#define HEED_SELF_ATTENTION(name, weights, seen, help) \
  SelfAttentionPtr make_##name(const MultiHeadOptions&, const LayerIndex&);
#include "model/transformer/attention/registry.def"
#undef HEED_SELF_ATTENTION

SelfAttentionPtr make_self_attention(const MultiHeadOptions& options, const LayerIndex& index) {
#define HEED_SELF_ATTENTION(name, weights, seen, help) \
  if (options.kind == #name) return make_##name(options, index);
#include "model/transformer/attention/registry.def"
#undef HEED_SELF_ATTENTION
  throw Bug("a self-attention of the registry");
}

}  // namespace heed::model
