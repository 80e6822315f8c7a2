#include "config/suggest.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/strings.h"

namespace heed::config {
namespace {

/// The word in lower case, without separators: Hidden-Size and hidden_size become the same.
std::string folded(std::string_view word) {
  std::string out;
  for (const char c : ascii_lower(word))
    if (c != '_' && c != '-' && c != '.' && c != ' ') out.push_back(c);
  return out;
}

/// The name that a short form stands for; the word itself where it is none.
std::string_view unabridged(std::string_view word) {
  return word == "src" ? "source" : word == "tgt" || word == "trg" ? "target" : word;
}

bool part_of(const std::string& shorter, const std::string& longer) {
  return shorter.size() >= 3 && (longer.starts_with(shorter) || longer.ends_with(shorter));
}

}  // namespace

std::string present_key(const std::string& key) {
  static const std::map<std::string, std::string> former = {{"guided_head", "taught_head"},
                                                            {"guided_layer", "taught_layer"}};
  const auto found = former.find(key);
  return found == former.end() ? key : found->second;
}

std::size_t distance(std::string_view a, std::string_view b) {
  const std::string x = folded(a), y = folded(b);
  if (x == y) return 0;
  if (part_of(x, y) || part_of(y, x) || unabridged(x) == y || x == unabridged(y)) return 1;
  const std::size_t shorter = std::min(x.size(), y.size()), longer = std::max(x.size(), y.size());
  if ((longer - shorter) * 3 > longer) return kFar;  // at least as many edits as this difference
  const std::size_t edits = edit_distance(x, y);
  return edits * 3 <= longer ? edits + 1 : kFar;
}

std::string nearest(std::string_view word, const std::vector<std::string>& allowed) {
  const auto from_word = [&](const std::string& name) { return distance(word, name); };
  const auto best = std::ranges::min_element(allowed, {}, from_word);
  return best == allowed.end() || from_word(*best) == kFar ? "" : *best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& allowed) {
  const std::string best = nearest(word, allowed);
  if (!best.empty()) return fmt::format("; did you mean '{}'?", best);
  return allowed.empty() ? "" : "; allowed: " + join(allowed, ", ");
}

}  // namespace heed::config
