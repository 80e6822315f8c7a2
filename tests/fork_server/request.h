// The message of the stand-in for heed-torch to the fork server, over a Unix socket: a Request with
// four descriptors, then its strings, each with its NUL. The answer is Answer::started and then the
// status of waitpid(), or Answer::refused.
#pragma once

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace heed::fork_server {

/// The name of the server's socket is in this variable.
inline constexpr const char* kVariable = "HEED_FORK_SERVER";

/// Standard input, output and error, and the working directory.
inline constexpr std::size_t kDescriptors = 4;

struct Request {
  std::uint32_t arguments = 0, variables = 0, bytes = 0;  // of the strings that follow
  std::uint32_t umask = 0;
  std::uint64_t ignored = 0;  // signals, as bits
  sigset_t blocked{};
  std::array<rlimit, RLIM_NLIMITS> limits{};
};

enum class Answer : std::int32_t { started, refused };

inline std::array<rlimit, RLIM_NLIMITS> own_limits() {
  std::array<rlimit, RLIM_NLIMITS> limits{};
  for (int i = 0; i < RLIM_NLIMITS; ++i)
    ::getrlimit(static_cast<__rlimit_resource>(i), &limits[static_cast<std::size_t>(i)]);
  return limits;
}

/// A name of Linux's own for sockets: no file that stays behind.
inline sockaddr_un address_of(const std::string& name, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

/// All of it; false where the other side has gone.
inline bool read_whole(int socket, void* into, std::size_t bytes) {
  for (auto* place = static_cast<char*>(into); bytes > 0;) {
    const ssize_t got = ::read(socket, place, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    place += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

inline bool write_whole(int socket, const void* from, std::size_t bytes) {
  for (const auto* place = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t sent = ::send(socket, place, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    place += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// A message that carries kDescriptors descriptors beside one Request.
struct Message {
  explicit Message(Request& request) : data{&request, sizeof request} {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  iovec data;
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptors * sizeof(int))] = {};
  msghdr header{};
};

}  // namespace heed::fork_server
