// Where the ranks find each other, and over which interface they talk.
#define USE_C10D_GLOO 1  // the wheel has it; its header asks
#include <c10/util/Exception.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/strings.h"
#include "ranks/addresses.h"
#include "ranks/backends.h"

namespace heed::ranks {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kFirstRank = "first rank's address";

/// Where a rank says that it has reached the first one.
std::string arrival_of(int64_t rank) {
  return "arrived/" + std::to_string(rank);
}

StorePtr tcp_store(const std::string& host, int port, bool server, const Place& place,
                   const GroupOptions& options) {
  c10d::TCPStoreOptions wanted;
  wanted.port = static_cast<std::uint16_t>(port);
  wanted.isServer = server;
  wanted.numWorkers = static_cast<std::size_t>(place.size);
  wanted.waitWorkers = false;
  wanted.timeout = options.timeout;
  return c10::make_intrusive<c10d::TCPStore>(host, wanted);
}

/// The last rank is the most likely one to be on another machine: the others take the address under
/// which it reaches the first one, whatever a host name means to themselves.
void say_first_address(const StorePtr& store, const Place& place, const std::string& host,
                       int port) {
  if (place.rank != place.size - 1) return;
  const auto way = way_to(host, port);
  if (!way) throw Failure(place.name() + ": no way leads to the first rank at " + host);
  store->set(kFirstRank, way->there + " " + std::to_string(port));
}

StorePtr meet_at_address(const Place& place, const GroupOptions& options) {
  const bool server = place.leads() && !place.hosted;
  StorePtr store = tcp_store(place.address, place.port, server, place, options);
  store = c10::make_intrusive<c10d::PrefixStore>("heed/" + place.job, store);
  say_first_address(store, place, place.address, place.port);
  return store;
}

std::string announcement_of(const Place& place, const GroupOptions& options) {
  std::string name = place.job;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  return (fs::path(options.folder) / (".heed.ranks." + name)).string();
}

/// How a message of ranks that do not come ends.
std::string too_late(const GroupOptions& options) {
  return " within " + std::to_string(options.timeout.count() / 1000) +
         " s; the run's folder must be the same on all machines, and a longer time is given with "
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

/// Throws Failure naming the ranks that did not come in time.
void await_all(const StorePtr& store, const Place& place, const GroupOptions& options,
               const std::string& file) {
  std::vector<std::string> keys = {kFirstRank};
  for (int64_t rank = 1; rank < place.size; ++rank) keys.push_back(arrival_of(rank));
  try {
    store->wait(keys, options.timeout);
  } catch (const c10::Error&) {
    std::vector<int64_t> missing;
    for (int64_t rank = 1; rank < place.size; ++rank)
      if (!store->check({arrival_of(rank)})) missing.push_back(rank);
    if (missing.empty()) return;  // just now
    throw Failure(name_of_ranks(missing, place.size) + " did not find " + file + too_late(options));
  }
}

StorePtr announce(const Place& place, const GroupOptions& options) {
  const StorePtr store = tcp_store("localhost", 0, true, place, options);
  const int port = c10::static_intrusive_pointer_cast<c10d::TCPStore>(store)->getPort();
  std::string text = std::to_string(port);
  for (const std::string& address : own_addresses()) text += " " + address;
  const std::string file = announcement_of(place, options);
  write_atomic(file, text + " localhost\n");
  const Announcement announcement{file};
  await_all(store, place, options, file);
  return store;
}

StorePtr meet_announced(const Place& place, const GroupOptions& options) {
  if (place.leads()) return announce(place, options);
  const std::string file = announcement_of(place, options);
  const auto end = Clock::now() + options.timeout;
  for (; Clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
    std::ifstream in(file);
    int port = 0;
    if (!(in >> port)) continue;
    for (std::string host; in >> host;) {
      if (!answers(host, port, 2)) continue;
      const StorePtr store = tcp_store(host, port, false, place, options);
      say_first_address(store, place, host, port);
      store->set(arrival_of(place.rank), std::string("1"));
      return store;
    }
  }
  throw Failure(place.name() + ": the first rank has not announced itself in " + file +
                too_late(options));
}

/// The address that the others reach this rank at.
std::string own_address(const Place& place, const GroupOptions& options, const StorePtr& store) {
  if (place.meeting == Meeting::file || place.local_size == place.size) return "127.0.0.1";
  store->wait({kFirstRank}, options.timeout);
  const auto parts = split(store->get_to_str(kFirstRank), ' ');
  if (place.leads()) return parts.at(0);
  const auto way = way_to(parts.at(0), std::stoi(parts.at(1)));
  if (!way) throw Failure(place.name() + ": no way leads to the first rank at " + parts.at(0));
  return way->here;
}

}  // namespace

StorePtr meet(const Place& place, const GroupOptions& options) {
  switch (place.meeting) {
    case Meeting::file:
      return c10::make_intrusive<c10d::FileStore>(place.folder + "/meeting",
                                                  static_cast<int>(place.size));
    case Meeting::address:
      return meet_at_address(place, options);
    case Meeting::announced:
      return meet_announced(place, options);
    case Meeting::none:
      break;
  }
  throw Bug("one rank meets nobody");
}

BackendPtr host_backend(const Place& place, const GroupOptions& options, const StorePtr& store) {
  auto gloo = c10d::ProcessGroupGloo::Options::create(options.timeout);
  gloo->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname(own_address(place, options, store)));
  // A thread for each exchange under way; there is never more than one.
  gloo->threads = 1;
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>("hosts", store), static_cast<int>(place.rank),
      static_cast<int>(place.size), gloo);
}

}  // namespace heed::ranks
