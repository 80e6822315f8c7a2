#include "run/launcher.h"

#include <signal.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/run_folder.h"
#include "base/signals.h"
#include "base/strings.h"
#include "base/subprocess.h"
#include "model/device.h"
#include "ranks/progress_board.h"
#include "ranks/rank_info.h"

namespace heed::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeeting = ".heed.ranks.";

/// The end of the first rank that did not succeed.
struct End {
  int64_t rank = 0, update = 0;
  int status = 0;            // exit code, or 128 + signal
  bool interrupted = false;  // a signal to one rank made all save and end

  bool was_signal() const { return status > 128; }
  /// Somebody wanted it to end, before it could save anything or for the second time.
  bool was_asked() const { return signals::is_request(status); }
  /// Whether another attempt may succeed.
  bool may_start_again() const { return (status == 1 || was_signal()) && !was_asked(); }
  std::string text(int64_t ranks) const {
    return fmt::format(
        "rank {} of {} {}{}", rank, ranks, subprocess::how_it_ended(status),
        update > 0 ? " at update " + with_commas(update) : " before its first update");
  }
};

std::optional<End> first_end(std::vector<subprocess::Child>& ranks,
                             const ranks::ProgressBoard& board) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto status = ranks[rank].finished();
    const auto number = static_cast<int64_t>(rank);
    if (status && *status != 0) return End{number, board.at(number), *status};
  }
  return std::nullopt;
}

/// Removes the folders of processes that were killed. A new folder, which may not be locked yet,
/// stays.
void remove_abandoned(const std::string& folder) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  std::error_code ignored;
  for (const std::string& name : names_in(folder)) {
    const fs::path path = fs::path(folder) / name;
    if (name.starts_with(kMeeting) && fs::exists(path / kLockFile, ignored) &&
        fs::last_write_time(path, ignored) < old && !is_held(path.string()))
      fs::remove_all(path, ignored);
  }
}

/// One attempt; nothing where all ranks succeed. The children are killed where this is left, and
/// say as much as this process.
std::optional<End> attempt(const RankJob& job, std::vector<std::string> command) {
  std::ranges::copy(log::arguments(), std::back_inserter(command));
  const RendezvousFolder meeting;
  const ranks::ProgressBoard board(meeting.path(), job.ranks);
  std::vector<subprocess::Child> ranks;
  for (int64_t rank = 0; rank < job.ranks; ++rank)
    ranks.push_back(
        subprocess::start_here(command, ranks::environment_of(rank, job.ranks, meeting.path())));
  bool signalled = false;
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    if (signals::interrupted() && !std::exchange(signalled, true))
      for (const subprocess::Child& rank : ranks) rank.signal(SIGTERM);
    if (auto end = first_end(ranks, board)) {
      end->interrupted = signalled || board.interrupted();
      // After a signal each saves and ends by itself; otherwise the others can only wait in vain.
      if (end->interrupted)
        for (subprocess::Child& rank : ranks) rank.wait();
      return end;
    }
    if (std::ranges::all_of(ranks, [](auto& rank) { return rank.finished().has_value(); }))
      return std::nullopt;
  }
}

}  // namespace

RendezvousFolder::RendezvousFolder() {
  std::error_code error;
  const std::string folder = fs::temp_directory_path(error).string();
  if (!error) remove_abandoned(folder);
  path_ = folder + "/" + kMeeting + "XXXXXX";
  if (error || ::mkdtemp(path_.data()) == nullptr)
    throw Failure("the folder of temporary files ($TMPDIR, else /tmp): cannot write: " +
                  (error ? error : std::error_code(errno, std::generic_category())).message());
  try {
    lock_.emplace(path_, "ranks that meet");
  } catch (...) {
    fs::remove_all(path_, error);
    throw;
  }
}

RendezvousFolder::~RendezvousFolder() {
  std::error_code ignored;
  lock_.reset();
  fs::remove_all(path_, ignored);
}

std::string own_path() {
  constexpr const char* kLink = "/proc/self/exe";
  const fs::path path = fs::read_symlink(kLink);
  // If the file was replaced, by a new build or installation, the link still leads to the old one.
  std::error_code none;
  return fs::exists(path, none) ? path.string() : kLink;
}

void remove_old_rendezvous(const std::string& folder) {
  std::error_code ignored;
  for (const std::string& name : names_in(folder))
    if (name.starts_with(kMeeting)) fs::remove_all(fs::path(folder) / name, ignored);
}

void run_ranks(const RankJob& job) {
  log::clear_progress();  // the first rank shows one
  for (int64_t started = 0;; ++started) {
    const auto end = attempt(job, started == 0 ? job.command : job.again);
    if (!end) return;
    // Over the progress line that a killed rank has left.
    log::progress("the ranks have ended");
    log::clear_progress();
    const std::string what = end->text(job.ranks);
    if (signals::interrupted() || end->interrupted)
      throw Failure("interrupted, all {} ranks have ended", job.ranks);
    if (end->status == 70) throw Bug(what + "; its message stands above");
    if (end->status == 2) throw UserError(what + "; its message stands above");
    if (!end->may_start_again() || started == job.restarts)
      throw Failure(what + ", and the others with it");
    log::warn("{}; all ranks start again from the last checkpoint ({} of {})", what, started + 1,
              job.restarts);
  }
}

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
      if (const auto own = translate(mine, group.rank() + 1, ranks)) {
        text = "\n";
        for (const std::string& line : *own) text += line + "\n";
      }
    } catch (const Failure& failure) {
      text = failure.what();
    }
  });
  const std::vector<std::string> texts = group.gather(text);
  for (const std::string& one : texts)
    if (!one.empty() && one.front() != '\n') throw Failure(one);
  std::vector<std::string> all(lines.size());
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (texts[rank].empty()) return std::nullopt;
    auto next = split(texts[rank], '\n');
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
