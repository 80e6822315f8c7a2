// Lets the ranks find each other, and chooses the interface over which they talk.
#define USE_C10D_GLOO 1  // the wheel has it; its header asks
#include "ranks/rendezvous.h"

#include <c10/util/Exception.h>
#include <c10/util/Logging.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/installation.h"
#include "base/strings.h"
#include "ranks/addresses.h"
#include "ranks/attempt.h"
#include "ranks/backends.h"
#include "ranks/group.h"
#include "ranks/limited_store.h"
#include "ranks/nccl_plugin.h"
#include "ranks/rank_info.h"

namespace heed::ranks {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kFirstRank = "first rank's address";

/// The library's own messages are many lines, of which the last is thrown, too.
class QuietLibrary {
 public:
  QuietLibrary() : before_(std::exchange(FLAGS_caffe2_log_level, c10::GLOG_FATAL)) {}
  ~QuietLibrary() { FLAGS_caffe2_log_level = before_; }
  QuietLibrary& operator=(QuietLibrary&&) = delete;

 private:
  int before_;
};

StorePtr tcp_store(const std::string& host, int port, bool server, int64_t size,
                   std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = server;
  options.numWorkers = static_cast<std::size_t>(size);
  options.waitWorkers = false;
  options.timeout = timeout;
  return c10::make_intrusive<c10d::TCPStore>(host, options);
}

StorePtr limited(const StorePtr& store, const GroupOptions& options) {
  return c10::make_intrusive<LimitedStore>(store, options.timeout);
}

/// The store that the first rank keeps; none where what answers there says nothing that a store
/// would say. The library waits for that without end, so another thread does.
StorePtr store_at(const std::string& host, int port, const RankInfo& info,
                  const GroupOptions& options, Clock::duration most) {
  const QuietLibrary quiet;
  try {
    const auto store = result_within(std::chrono::ceil<std::chrono::milliseconds>(most),
                                     [=, size = info.size, timeout = options.timeout] {
                                       return tcp_store(host, port, false, size, timeout);
                                     });
    return store.value_or(StorePtr());
  } catch (const c10::Error&) {
    return {};
  }
}

std::string seconds_of(const GroupOptions& options) {
  return fmt::format(" within {} s", options.timeout.count() / 1000);
}

/// MASTER_ADDR's machine may get its name, and its first rank start, after this one.
StorePtr store_of_the_first(const RankInfo& info, const GroupOptions& options) {
  const auto end = Clock::now() + options.timeout;
  const std::string where = fmt::format("{}:{}", info.address, info.port);
  while (!answers(info.address, info.port, 2)) {
    if (Clock::now() >= end)
      throw Failure(
          "{}: nothing answers at {} (MASTER_ADDR and MASTER_PORT){}{}; a longer time is given "
          "with --rank-timeout",
          info.name(), where, seconds_of(options),
          way_to(info.address, info.port) ? "" : ", and there is no route to that machine");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const StorePtr store = store_at(info.address, info.port, info, options, end - Clock::now());
  if (!store)
    throw Failure(
        "{}: a program answers at {} (MASTER_ADDR and MASTER_PORT), but it is not the first "
        "rank{}; export another MASTER_PORT to all ranks",
        info.name(), where, seconds_of(options));
  return store;
}

/// The last rank is the most likely one to be on another machine: the others take the address under
/// which it reaches the first one, whatever a host name means to themselves.
void say_first_address(const StorePtr& store, const RankInfo& info, const std::string& host,
                       int port) {
  if (info.rank != info.size - 1) return;
  const auto way = way_to(host, port);
  if (!way) throw Failure(info.name() + ": there is no route to the first rank at " + host);
  store->set(kFirstRank, fmt::format("{} {}", way->there, port));
}

/// Throws Failure: the ranks that have not come, or their store, are silent or gone.
[[noreturn]] void throw_absent(const Attempt& attempt, const RankInfo& info,
                               const GroupOptions& options) {
  const bool first = attempt.absent == std::vector<int64_t>{0};
  const std::string who = first ? keeper_of_store(info) : name_of_ranks(attempt.absent, info.size);
  const char* is = attempt.absent.size() == 1 ? "is" : "are";
  if (attempt.gone) throw Failure("{} {} gone, when the ranks met", who, is);
  throw Failure(
      "{} {} silent for {} s, when the ranks met; a longer time is given with --rank-timeout", who,
      is, options.timeout.count() / 1000);
}

StorePtr meet_at_address(const RankInfo& info, const GroupOptions& options) {
  const bool server = info.leads() && !info.hosted;
  if (server && !way_to(info.address, info.port))
    throw Failure(
        "{}: no machine has the name {} (MASTER_ADDR); export the name or address of the first "
        "rank's machine",
        info.name(), info.address);
  StorePtr store;
  if (server)
    store = tcp_store(info.address, info.port, server, info.size, options.timeout);
  else
    store = store_of_the_first(info, options);
  // The library's agents have keys of their own there, and perhaps other trainings.
  Attempt attempt = begin_attempt(
      c10::make_intrusive<c10d::PrefixStore>("heed/" + info.job, limited(store, options)), info,
      options.timeout);
  if (!attempt.store) throw_absent(attempt, info, options);
  say_first_address(attempt.store, info, info.address, info.port);
  return attempt.store;
}

std::string announcement_of(const RankInfo& info, const GroupOptions& options) {
  std::string name = info.job;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  return (fs::path(options.folder) / (".heed.ranks." + name)).string();
}

/// Returns the end of a message about ranks that do not come.
std::string too_late(const GroupOptions& options) {
  return seconds_of(options) +
         "; the run's folder must be the same on all machines, and a longer time is given with "
         "--rank-timeout";
}

/// A file that is gone when this object is.
struct Announcement {
  std::string path;
  ~Announcement() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

StorePtr announce(const RankInfo& info, const GroupOptions& options) {
  const StorePtr store = tcp_store("localhost", 0, true, info.size, options.timeout);
  const int port = c10::static_intrusive_pointer_cast<c10d::TCPStore>(store)->getPort();
  std::string text = std::to_string(port);
  for (const std::string& address : own_addresses()) text += " " + address;
  const std::string file = announcement_of(info, options);
  write_atomic(file, text + " localhost\n");
  const Announcement announcement{file};
  Attempt attempt = begin_attempt(limited(store, options), info, options.timeout);
  if (attempt.store) return attempt.store;
  throw Failure(name_of_ranks(attempt.absent, info.size) + " did not find " + file +
                too_late(options));
}

StorePtr meet_announced(const RankInfo& info, const GroupOptions& options) {
  if (info.leads()) return announce(info, options);
  const std::string file = announcement_of(info, options);
  const auto end = Clock::now() + options.timeout;
  for (; Clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
    std::ifstream in(file);
    int port = 0;
    if (!(in >> port)) continue;
    for (std::string host; in >> host;) {
      if (!answers(host, port, 2)) continue;
      // Another program's, where the file is of a rank that was killed.
      const StorePtr store = store_at(host, port, info, options, std::chrono::seconds(10));
      if (!store) continue;
      Attempt attempt = begin_attempt(limited(store, options), info, options.timeout);
      if (!attempt.store) throw_absent(attempt, info, options);
      say_first_address(attempt.store, info, host, port);
      return attempt.store;
    }
  }
  throw Failure(info.name() + ": the first rank has not announced itself in " + file +
                too_late(options));
}

/// The address that the others reach this rank at.
std::string own_address(const RankInfo& info, const GroupOptions& options, const StorePtr& store) {
  if (info.rendezvous == Rendezvous::file || info.local_size == info.size) return kLoopback;
  store->wait({kFirstRank}, options.timeout);
  const auto parts = split(store->get_to_str(kFirstRank), ' ');
  if (info.leads()) return parts.at(0);
  const auto way = way_to(parts.at(0), std::stoi(parts.at(1)));
  if (!way) throw Failure(info.name() + ": there is no route to the first rank at " + parts.at(0));
  return way->here;
}

}  // namespace

StorePtr meet(const RankInfo& info, const GroupOptions& options) {
  switch (info.rendezvous) {
    case Rendezvous::file:
      return limited(c10::make_intrusive<c10d::FileStore>(info.folder + "/meeting",
                                                          static_cast<int>(info.size)),
                     options);
    case Rendezvous::address:
      return meet_at_address(info, options);
    case Rendezvous::announced:
      return meet_announced(info, options);
    case Rendezvous::none:
      break;
  }
  throw Bug("one rank meets nobody");
}

BackendPtr host_backend(const RankInfo& info, const GroupOptions& options, const StorePtr& store) {
  auto gloo = c10d::ProcessGroupGloo::Options::create(options.timeout);
  const std::string address = own_address(info, options, store);
  try {
    gloo->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
  } catch (const std::exception&) {
    throw Failure(info.name() + ": no network interface of this machine has the address " +
                  address + (address == kLoopback ? "; start that one: ip link set lo up" : ""));
  }
  // A thread for each exchange under way; there is never more than one.
  gloo->threads = 1;
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>("hosts", store), static_cast<int>(info.rank),
      static_cast<int>(info.size), gloo);
}

// NCCL lies in a library of its own, libheed_nccl.so beside the program or, once installed, in
// lib/heed: this one is built without CUDA and runs without it.
BackendPtr nccl_backend(const RankInfo& info, const GroupOptions& options, const StorePtr& store) {
  const Plugin plugin = open_plugin(kNcclPlugin, kMakeNccl, "several GPUs need ");
  if (!plugin.function) throw UserError(plugin.problem);
  const auto make = reinterpret_cast<MakeNccl>(plugin.function);
  auto own = c10::make_intrusive<c10d::PrefixStore>("devices", store);
  return BackendPtr::reclaim(make(own.get(), static_cast<int>(info.rank),
                                  static_cast<int>(info.size), options.timeout.count()));
}

}  // namespace heed::ranks
