#include "run/divide.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "base/machine.h"
#include "base/strings.h"
#include "model/device.h"

namespace heed::run {

int64_t threads_of_rank(int64_t total, int64_t ranks) {
  const int64_t cores = total > 0 ? total : available_cores();
  return std::max<int64_t>(1, cores / ranks);
}

int64_t threads_of_rank(int64_t total, ranks::Group& group, const ranks::RankInfo& info) {
  const std::string mine = name_of_cores();
  const auto sharing = static_cast<int64_t>(std::ranges::count(group.gather(mine), mine));
  return threads_of_rank(total, total > 0 ? info.local_size : std::min(sharing, info.local_size));
}

std::string device_of_rank(const std::string& device, const ranks::RankInfo& info) {
  if (info.alone() || device == "cpu") return device;
  if (device == "auto" && !model::auto_means_gpu()) return "cpu";
  if (device != "auto" && device != "cuda" && info.local_size > 1)
    throw UserError(
        "device: {}: one GPU for {} ranks of this machine; set it to cuda, of which each rank "
        "takes its own",
        device, info.local_size);
  return "cuda:" + std::to_string(info.local_rank);
}

std::optional<std::vector<std::string>> translate_together(ranks::Group& group,
                                                           const std::vector<std::string>& lines,
                                                           const Translate& translate) {
  if (group.alone()) return translate(lines, 1, 1);
  const int64_t count = std::ssize(lines), ranks = group.size();
  std::vector<std::string> mine;
  for (int64_t i = group.rank(); i < count; i += ranks) mine.push_back(lines[i]);
  // A newline at the beginning says that there are translations; a line has none in it. What begins
  // otherwise is why there are none.
  std::string text;
  group.take_time([&] {
    try {
      if (const auto made = translate(mine, group.rank() + 1, ranks)) {
        text = "\n";
        for (const std::string& line : *made) text += line + "\n";
      }
    } catch (const Failure& failure) {
      text = failure.what();
    }
  });
  const std::vector<std::string> shares = group.gather(text);
  for (const std::string& share : shares)
    if (!share.empty() && share.front() != '\n') throw Failure(share);
  std::vector<std::string> all(lines.size());
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (shares[rank].empty()) return std::nullopt;
    auto next = split(shares[rank], '\n');
    for (int64_t i = rank, part = 1; i < count; i += ranks, ++part)
      all[i] = std::move(next.at(part));
  }
  return all;
}

double first_rank_finds(ranks::Group& group, const std::function<double()>& find) {
  if (group.alone()) return find();
  std::string failure;
  double value = 0;
  group.take_time([&] {
    if (group.leads()) try {
        value = find();
      } catch (const Failure& error) {
        failure = error.what();
      }
  });
  failure = group.broadcast(failure);
  if (!failure.empty()) throw Failure(failure);
  return std::bit_cast<double>(
      group.gather(std::vector<int64_t>{std::bit_cast<int64_t>(value)})[0][0]);
}

}  // namespace heed::run
