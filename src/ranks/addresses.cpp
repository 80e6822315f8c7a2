#include "ranks/addresses.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

#include "base/descriptor.h"

namespace heed::ranks {
namespace {

std::string text_of(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST] = "";
  if (::getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return text;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolve(const std::string& host, int port, int kind) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = kind;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    found = nullptr;
  return {found, ::freeaddrinfo};
}

Descriptor socket_for(const addrinfo& address, int flags) {
  return Descriptor(
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | flags, address.ai_protocol));
}

std::string own_end(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  return ::getsockname(socket, plain, &size) == 0 ? text_of(plain, size) : "";
}

bool connects(const addrinfo& address, int milliseconds) {
  const Descriptor socket = socket_for(address, SOCK_NONBLOCK);
  if (!socket.open()) return false;
  if (::connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0) return true;
  pollfd ready{socket.number(), POLLOUT, 0};
  if (::poll(&ready, 1, milliseconds) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

}  // namespace

std::vector<std::string> own_addresses() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(found, ::freeifaddrs);
  std::vector<std::string> four, six;
  for (const ifaddrs* each = found; each != nullptr; each = each->ifa_next) {
    const bool usable = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (!usable || each->ifa_addr == nullptr) continue;
    if (each->ifa_addr->sa_family == AF_INET)
      four.push_back(text_of(each->ifa_addr, sizeof(sockaddr_in)));
    if (each->ifa_addr->sa_family == AF_INET6)
      six.push_back(text_of(each->ifa_addr, sizeof(sockaddr_in6)));
  }
  // Addresses of one link alone ("fe80::1%eth0") mean nothing on other machines.
  std::erase_if(six, [](const std::string& text) { return text.find('%') != std::string::npos; });
  four.insert(four.end(), six.begin(), six.end());
  return four;
}

std::optional<Way> way_to(const std::string& host, int port) {
  const Addresses addresses = resolve(host, port, SOCK_DGRAM);
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    const Descriptor socket =
        socket_for(*each, 0);  // of datagrams: connecting it only chooses the way
    if (!socket.open() || ::connect(socket.number(), each->ai_addr, each->ai_addrlen) != 0)
      continue;
    const std::string here = own_end(socket.number());
    if (!here.empty()) return Way{here, text_of(each->ai_addr, each->ai_addrlen)};
  }
  return std::nullopt;
}

bool answers(const std::string& host, int port, int seconds) {
  const Addresses addresses = resolve(host, port, SOCK_STREAM);
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next)
    if (connects(*each, 1000 * seconds)) return true;
  return false;
}

}  // namespace heed::ranks
