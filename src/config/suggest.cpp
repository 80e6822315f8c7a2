#include "config/suggest.h"

#include <algorithm>
#include <map>
#include <vector>

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
  return word == "src"                    ? "source"
         : word == "tgt" || word == "trg" ? "target"
         : word == "lr"                   ? "learningrate"
                                          : word;
}

/// The words of a name: "Hidden-Size" has "hidden" and "size".
std::vector<std::string> words_of(std::string_view name) {
  std::string blanks = ascii_lower(name);
  for (char& c : blanks)
    if (c == '_' || c == '-' || c == '.') c = ' ';
  return split_words(blanks);
}

/// Whether the name is the beginning or the last words of the longer one.
bool is_part_of(std::string_view shorter, std::string_view longer) {
  const std::string x = folded(shorter), y = folded(longer);
  if (x.size() < 3) return false;
  if (y.starts_with(x)) return true;
  const std::vector<std::string> end = words_of(shorter), all = words_of(longer);
  return end.size() <= all.size() && std::equal(end.rbegin(), end.rend(), all.rbegin());
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
  if (is_part_of(a, b) || is_part_of(b, a) || unabridged(x) == y || x == unabridged(y)) return 1;
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
