// The search that a model of Hugging Face's transformers proposes, by heed's keys.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "decode/search/config.h"
#include "exchange/foreign_model.h"
#include "exchange/huggingface_parts.h"
#include "exchange/json_object.h"
#include "exchange/package.h"
#include "exchange/side_vocabularies.h"
#include "model/description/config.h"

namespace heed::exchange {
namespace {

using nlohmann::json;

/// Keys that change translations and that have no counterpart in heed, each with the value that
/// changes nothing.
const std::pair<const char*, json> kLeftOut[] = {{"begin_suppress_tokens", nullptr},
                                                 {"constraints", nullptr},
                                                 {"diversity_penalty", 0.0},
                                                 {"encoder_no_repeat_ngram_size", 0},
                                                 {"encoder_repetition_penalty", 1.0},
                                                 {"epsilon_cutoff", 0.0},
                                                 {"eta_cutoff", 0.0},
                                                 {"exponential_decay_length_penalty", nullptr},
                                                 {"force_words_ids", nullptr},
                                                 {"guidance_scale", nullptr},
                                                 {"max_new_tokens", nullptr},
                                                 {"min_p", nullptr},
                                                 {"num_beam_groups", 1},
                                                 {"penalty_alpha", nullptr},
                                                 {"renormalize_logits", false},
                                                 {"repetition_penalty", 1.0},
                                                 {"sequence_bias", nullptr},
                                                 {"stop_strings", nullptr},
                                                 {"typical_p", 1.0}};

/// Reads the keys one after the other, and keeps the names of those without a counterpart.
class Search {
 public:
  /// `start`: with which piece the decoder begins here.
  Search(const JsonObject& settings, const std::vector<std::string>& names, int64_t given,
         int64_t start)
      : settings_(settings), names_(names), given_(given), start_(start) {}

  ProposedSearch read(int64_t longest) {
    search_.beam_size = clamped("num_beams", search_.beam_size, 1, 1000);
    search_.no_repeat_ngram = clamped("no_repeat_ngram_size", 0, 0, 100);
    search_.alpha = clamped_real("length_penalty", 1, 0, 10);
    search_.length_penalty = length_penalty_of(search_.alpha);
    lengths(longest);
    read_forbidden();
    sampling();
    ends();
    const std::string begins_with = language();
    for (const auto& [key, neutral] : kLeftOut)
      if (settings_.has(key) && settings_.all()[key] != neutral) left_out(key);
    return {search_, begins_with};
  }
  /// The notes on keys that are left out, and on numbers that heed's keys cannot have.
  std::vector<std::string> notes() const {
    std::vector<std::string> found;
    if (!left_.empty())
      found.push_back(fmt::format("{}: heed has no key that means the same as {}: left out",
                                  settings_.place(), join(left_, ", ")));
    if (!moved_.empty())
      found.push_back(fmt::format("{}: out of the range of heed's keys: {}", settings_.place(),
                                  join(moved_, ", ")));
    return found;
  }

 private:
  void left_out(const std::string& key) {
    const json value = settings_.has(key) ? settings_.all()[key] : json();
    left_.push_back(
        fmt::format("'{}' ({})", key,
                    one_line(value.dump(-1, ' ', false, json::error_handler_t::replace), 40)));
  }
  int64_t clamped(const char* key, int64_t otherwise, int64_t least, int64_t most) {
    return nearest(key, settings_.number(key, otherwise), least, most);
  }
  double clamped_real(const char* key, double otherwise, double least, double most) {
    return nearest(key, settings_.real(key, otherwise), least, most);
  }
  template <class Number>
  Number nearest(const char* key, Number wanted, Number least, Number most) {
    const Number taken = std::clamp(wanted, least, most);
    if (taken != wanted) moved_.push_back(fmt::format("'{}' {} becomes {}", key, wanted, taken));
    return taken;
  }

  /// Both limits count the pieces that a translation begins with, and heed's count the pieces after
  /// them.
  void lengths(int64_t longest) {
    constexpr int64_t kMost = 100'000;
    search_.min_length = std::max<int64_t>(clamped("min_length", 0, 0, kMost) - given_, 0);
    if (settings_.has("min_new_tokens"))
      search_.min_length = clamped("min_new_tokens", 0, 0, kMost);
    if (settings_.number("max_length", longest) < longest) left_out("max_length");
  }

  /// Reads lists of ids, or of lists of ids: sequences of one piece are heed's decoding.forbid.
  void read_forbidden() {
    for (const char* key : {"bad_words_ids", "suppress_tokens"}) {
      if (!settings_.has(key)) continue;
      const json& lists = settings_.all()[key];
      if (!lists.is_array()) throw UserError("{}: '{}' is no list", settings_.place(), key);
      bool is_left = false;
      for (const json& list : lists) {
        const json& id = list.is_array() && list.size() == 1 ? list[0] : list;
        if (!id.is_number_integer())
          is_left = true;
        else
          is_left |= !forbid(id);
      }
      if (is_left) left_out(key);
    }
  }
  /// Returns whether heed can forbid it: not the end, and no id beyond the vocabulary.
  bool forbid(int64_t id) {
    if (id < 0 || id >= std::ssize(names_)) return false;
    const std::string& name = names_[id];
    if (name == "</s>") return false;
    if (!name.empty() && name != "<pad>" && name != "<s>" &&  // heed never writes these
        std::ranges::find(search_.forbid, name) == search_.forbid.end())
      search_.forbid.push_back(name);
    return true;
  }

  /// The language whose symbol a translation must begin with.
  std::string language() {
    const char* key = "forced_bos_token_id";
    if (!settings_.has(key)) return "";
    const json& id = settings_.all()[key];
    const bool known = id.is_number_integer() && id >= 0 && id < std::ssize(names_);
    const std::string name = known ? names_[id.get<std::size_t>()] : "";
    const bool in_lines = name.starts_with("__");  // as M2M-100 has it
    if (!languages_among({name}).empty()) return in_lines ? name.substr(2, name.size() - 4) : name;
    left_out(key);
    return "";
  }

  void sampling() {
    if (!settings_.flag("do_sample", false)) return;
    constexpr int64_t kTheirTopK = 50;  // where none is given
    search_.sampling.top_k = clamped("top_k", kTheirTopK, 0, 1'000'000);
    const double top_p = settings_.real("top_p", 1);
    search_.sampling.top_p = top_p < 1 ? std::max(top_p, 0.) : search_.sampling.top_k > 0 ? 0 : 1;
    search_.sampling.temperature = clamped_real("temperature", 1, 0.01, 100);
    if (settings_.number("num_beams", 1) > 1) left_out("num_beams");
  }

  /// Whether a translation may end with another piece than </s>.
  bool ends_elsewhere() const {
    if (!settings_.has("eos_token_id")) return false;
    const json& ids = settings_.all()["eos_token_id"];
    const auto is_another = [&](const json& id) {
      return !id.is_number_integer() || id < 0 || id >= std::ssize(names_) ||
             names_[id.get<std::size_t>()] != "</s>";
    };
    return ids.is_array() ? std::ranges::any_of(ids, is_another) : is_another(ids);
  }

  void ends() {
    const int64_t results = settings_.number("num_return_sequences", 1);
    if (results > 1 && (decode::samples(search_.sampling) || results <= search_.beam_size))
      search_.n_best = std::min<int64_t>(results, 1000);
    else if (results != 1)
      left_out("num_return_sequences");
    if (ends_elsewhere()) left_out("eos_token_id");
    if (settings_.number("decoder_start_token_id", start_) != start_)
      left_out("decoder_start_token_id");
    if (settings_.has("forced_eos_token_id") && settings_.has("eos_token_id") &&
        settings_.all()["forced_eos_token_id"] != settings_.all()["eos_token_id"])
      left_out("forced_eos_token_id");
    if (!settings_.has("early_stopping") || search_.beam_size == 1) return;
    // heed's search ends like one of these two settings (marian_mt.cpp).
    const json same =
        search_.length_penalty == decode::LengthPenalty::none ? json("never") : json(true);
    if (settings_.all()["early_stopping"] != same && settings_.all()["early_stopping"] != false)
      left_out("early_stopping");
  }

  const JsonObject& settings_;
  const std::vector<std::string>& names_;
  int64_t given_, start_;
  decode::DecodeConfig search_;
  std::vector<std::string> left_, moved_;
};

}  // namespace

std::string language_of_tokenizer(const Package& package, const char* key,
                                  const std::vector<std::string>& languages) {
  if (!package.has(kTokenizerConfig)) return "";
  const std::string code = JsonObject(package, kTokenizerConfig).text(key, "");
  for (const std::string& symbol : {code, "__" + code + "__"})
    if (std::ranges::find(languages, symbol) != languages.end()) return code;
  return "";
}

ProposedSearch proposed_search(const Package& package, const model::ModelConfig& config,
                               const std::vector<std::string>& names, int64_t given,
                               std::vector<std::string>& notes) {
  const char* file = "generation_config.json";
  const JsonObject settings(package, package.has(file) ? file : "config.json");
  Search reader(settings, names, given,
                JsonObject(package, "config.json").number("decoder_start_token_id"));
  ProposedSearch search = reader.read(config.max_positions);
  for (const std::string& note : reader.notes()) notes.push_back(note);
  search.decoding.max_source_length = std::max<int64_t>(config.max_positions - 1, 1);
  return search;
}

}  // namespace heed::exchange
