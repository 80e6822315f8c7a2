#include "config/suggest.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/format.h"
#include "base/strings.h"

namespace heed::config {
namespace {

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

/// Whether the name is the first or the last words of the longer one.
bool is_part_of(std::string_view shorter, std::string_view longer) {
  const std::vector<std::string> part = words_of(shorter), all = words_of(longer);
  return folded(shorter).size() >= 3 && part.size() <= all.size() &&
         (std::equal(part.begin(), part.end(), all.begin()) ||
          std::equal(part.rbegin(), part.rend(), all.rbegin()));
}

/// Whether what was typed is the beginning of the name.
bool begins(const std::string& typed, const std::string& name) {
  return typed.size() >= 3 && name.starts_with(typed);
}

/// Whether one name is a slip of the finger away from the other: one edit for each three letters of
/// the longer one, and where there are several, the same first letter (`thread` is no `head`).
bool is_slip(const std::string& a, const std::string& b, std::size_t edits) {
  const std::size_t longer = std::max(a.size(), b.size());
  return edits * 3 <= longer && (edits == 1 || a[0] == b[0]);
}

}  // namespace

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : ascii_lower(name))
    if (c != '_' && c != '-' && c != '.' && c != ' ') out.push_back(c);
  return out;
}

const std::map<std::string, std::string>& names_of_other_trainers() {
  static const std::map<std::string, std::string> names = {
      {"accumcount", "training.accumulate"},
      {"after", "training.updates"},
      {"afterepochs", "training.epochs"},
      {"attentionheads", "model.heads"},
      {"averagedecay", "training.ema"},
      {"batchmultiplier", "training.accumulate"},
      {"beamalpha", "decoding.alpha"},
      {"checkpointinterval", "training.validate_every"},
      {"cpus", "threads"},
      {"cputhreads", "threads"},
      {"decaymethod", "training.schedule"},
      {"decdepth", "model.decoder_layers"},
      {"declayers", "model.decoder_layers"},
      {"dimemb", "model.width"},
      {"dispfreq", "training.log_every"},
      {"dmodel", "model.width"},
      {"encdepth", "model.encoder_layers"},
      {"enclayers", "model.encoder_layers"},
      {"evalsteps", "training.validate_every"},
      {"exponentialsmoothing", "training.ema"},
      {"gradclip", "training.clip_norm"},
      {"gradientaccumulationsteps", "training.accumulate"},
      {"initiallearningrate", "training.learning_rate"},
      {"iterations", "training.updates"},
      {"learnrate", "training.learning_rate"},
      {"lenpen", "decoding.alpha"},
      {"lr", "training.learning_rate"},
      {"lrscheduler", "training.schedule"},
      {"lrwarmup", "training.warmup"},
      {"maxepoch", "training.epochs"},
      {"maxepochs", "training.epochs"},
      {"maxgradnorm", "training.clip_norm"},
      {"maxstep", "training.updates"},
      {"maxsteps", "training.updates"},
      {"maxtokens", "training.batch_size"},
      {"maxupdate", "training.updates"},
      {"maxupdates", "training.updates"},
      {"minibatch", "training.batch_size"},
      {"modeldir", "output"},
      {"nheads", "model.heads"},
      {"numheads", "model.heads"},
      {"numbeams", "decoding.beam_size"},
      {"numepochs", "training.epochs"},
      {"numlayers", "model.encoder_layers"},
      {"numtrainepochs", "training.epochs"},
      {"optimizerdelay", "training.accumulate"},
      {"outputdir", "output"},
      {"randomseed", "seed"},
      {"reportevery", "training.log_every"},
      {"savedir", "output"},
      {"savefreq", "training.save_every"},
      {"savemodel", "output"},
      {"scheduling", "training.schedule"},
      {"steps", "training.updates"},
      {"trainsteps", "training.updates"},
      {"transformerff", "model.feed_forward"},
      {"transformerheads", "model.heads"},
      {"updatefreq", "training.accumulate"},
      {"validationfreq", "training.validate_every"},
      {"validfreq", "training.validate_every"},
      {"validsteps", "training.validate_every"},
      {"warmupsteps", "training.warmup"},
      {"warmupupdates", "training.warmup"}};
  return names;
}

std::string present_key(const std::string& key) {
  static const std::map<std::string, std::string> former = {{"guided_head", "taught_head"},
                                                            {"guided_layer", "taught_layer"}};
  const auto found = former.find(key);
  return found == former.end() ? key : found->second;
}

std::size_t distance(std::string_view typed, std::string_view name) {
  const std::string x = folded(typed), y = folded(name);
  if (x == y) return 0;
  if (begins(x, y) || is_part_of(typed, name) || is_part_of(name, typed) || unabridged(x) == y ||
      x == unabridged(y))
    return 1;
  const std::size_t shorter = std::min(x.size(), y.size()), longer = std::max(x.size(), y.size());
  if ((longer - shorter) * 3 > longer) return kFar;  // at least as many edits as this difference
  const std::size_t edits = edit_distance(x, y);
  return is_slip(x, y, edits) ? edits + 1 : kFar;
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
