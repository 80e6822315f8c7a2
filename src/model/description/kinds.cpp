#include "model/description/kinds.h"

#include <type_traits>

#include "base/error.h"
#include "config/suggest.h"
#include "model/description/config.h"

namespace heed::model {
namespace {

struct NormaliserInfo {
  const char* name;
  const char* help;
};

const std::vector<AttentionKindInfo>& attentions() {
  static const std::vector<AttentionKindInfo> kinds = {
#define HEED_ATTENTION(name, timing, scores, help) {#name, help, Timing::timing, ScoresOf::scores},
#include "model/recurrent/attention/registry.def"
#undef HEED_ATTENTION
  };
  return kinds;
}

const std::vector<SelfAttentionInfo>& self_attentions() {
  static const std::vector<SelfAttentionInfo> kinds = {
#define HEED_SELF_ATTENTION(name, weights, seen, help) \
  {#name, help, WeightsOf::weights, SeenBy::seen},
#include "model/transformer/attention/registry.def"
#undef HEED_SELF_ATTENTION
  };
  return kinds;
}

const std::vector<NormaliserInfo>& normalisers() {
  static const std::vector<NormaliserInfo> kinds = {
#define HEED_NORMALISER(name, plain, help) {#name, help},
#include "kernels/normalisers/registry.def"
#undef HEED_NORMALISER
  };
  return kinds;
}

/// One member of each row, in the table's order.
template <class Row>
std::vector<std::string> column(const std::vector<Row>& rows, const char* Row::*member) {
  std::vector<std::string> values;
  for (const Row& row : rows) values.emplace_back(row.*member);
  return values;
}

/// The type of a row of `table`.
template <class Table>
using Row = typename std::decay_t<std::invoke_result_t<Table>>::value_type;

/// The row with this name. Throws UserError where there is none; `key` and `called` are parts of
/// the message: "model.positions", "no positions are called".
template <class Row>
const Row& row_of(const std::vector<Row>& rows, const std::string& name, const char* key,
                  const char* called) {
  for (const Row& row : rows)
    if (name == row.name) return row;
  throw UserError("{}: {} '{}'{}", key, called, name,
                  config::did_you_mean(name, column(rows, &Row::name)));
}

}  // namespace

const std::vector<PositionsKindInfo>& positions_kinds() {
  static const std::vector<PositionsKindInfo> kinds = {
#define HEED_POSITIONS(name, effect, plain, help) {#name, help, PositionsEffect::effect},
#include "model/transformer/positions/registry.def"
#undef HEED_POSITIONS
  };
  return kinds;
}

const AttentionKindInfo& attention_info(const std::string& name) {
  return row_of(attentions(), name, "model.attention", "no attention is called");
}

const SelfAttentionInfo& self_attention_info(const std::string& name) {
  return row_of(self_attentions(), name, "model.self_attention", "no self-attention is called");
}

const PositionsKindInfo& positions_info(const std::string& name) {
  return row_of(positions_kinds(), name, "model.positions", "no positions are called");
}

// The columns of each table, for its key of the section.
#define HEED_COLUMNS(kind, table)                                           \
  const std::vector<std::string>& kind##_names() {                          \
    static const auto names = column(table(), &Row<decltype(table)>::name); \
    return names;                                                           \
  }                                                                         \
  const std::vector<std::string>& kind##_helps() {                          \
    static const auto helps = column(table(), &Row<decltype(table)>::help); \
    return helps;                                                           \
  }
HEED_COLUMNS(attention, attentions)
HEED_COLUMNS(self_attention, self_attentions)
HEED_COLUMNS(position, positions_kinds)
HEED_COLUMNS(normaliser, normalisers)
#undef HEED_COLUMNS

}  // namespace heed::model
