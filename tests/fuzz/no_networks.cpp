// The constructors of the attention registry, for a program that only looks at its names.
#include "base/error.h"
#include "model/recurrent/attention/attention.h"

namespace heed::model {

#define HEED_ATTENTION(name, timing, help)         \
  AttentionPtr make_##name(const AttentionSize&) { \
    throw Bug("a fuzz target builds no network");  \
  }
#include "model/recurrent/attention/registry.def"
#undef HEED_ATTENTION

}  // namespace heed::model
