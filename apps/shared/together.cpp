#include "apps/shared/together.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/machine.h"
#include "base/strings.h"
#include "model/device.h"

namespace heed {

int64_t threads_of_rank(int64_t total, int64_t ranks) {
  const int64_t cores = total > 0 ? total : available_cores();
  return std::max<int64_t>(1, cores / ranks);
}

std::string device_of_rank(const std::string& device, const ranks::Place& place) {
  if (place.alone() || device == "cpu") return device;
  if (device == "auto" && !model::auto_means_gpu()) return "cpu";
  if (device != "auto" && device != "cuda" && place.local_size > 1)
    throw UserError("device: " + device + ": one GPU for " + std::to_string(place.local_size) +
                    " ranks of this machine; set it to cuda, of which each rank takes its own");
  return "cuda:" + std::to_string(place.local_rank);
}

std::optional<std::vector<std::string>> translate_together(ranks::Group& group,
                                                           const std::vector<std::string>& lines,
                                                           const Translate& translate) {
  if (group.alone()) return translate(lines, 1);
  const int64_t count = std::ssize(lines), rank = group.rank();
  const auto border = [&](int64_t of) { return count * of / group.size(); };
  const auto mine =
      translate({lines.begin() + border(rank), lines.begin() + border(rank + 1)}, border(rank) + 1);
  // A newline at the beginning says that there are translations; a line has none in it.
  std::string text;
  if (mine) {
    text = "\n";
    for (const std::string& line : *mine) text += line + "\n";
  }
  std::vector<std::string> all;
  for (const std::string& share : group.gather(text)) {
    if (share.empty()) return std::nullopt;
    const auto parts = split(share, '\n');
    all.insert(all.end(), parts.begin() + 1, parts.end() - 1);
  }
  return all;
}

double first_rank_finds(ranks::Group& group, const std::function<double()>& find) {
  if (group.alone()) return find();
  std::string failure;
  double value = 0;
  if (group.leads()) try {
      value = find();
    } catch (const Failure& error) {
      failure = error.what();
    }
  failure = group.tell(failure);
  if (!failure.empty()) throw Failure(failure);
  return std::bit_cast<double>(
      group.gather(std::vector<int64_t>{std::bit_cast<int64_t>(value)})[0][0]);
}

}  // namespace heed
