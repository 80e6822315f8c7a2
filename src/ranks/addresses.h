// Network addresses as numbers, for choosing the interface that traffic takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heed::ranks {

/// Returns the addresses of this machine's interfaces that are up, without loopback; IPv4 before
/// IPv6.
std::vector<std::string> own_addresses();

/// Both ends of the way to a host, as this machine would take it now.
struct Way {
  std::string here, there;
};
/// Returns the way to a host; nothing where the name does not resolve or no way leads there.
/// Nothing is sent.
std::optional<Way> way_to(const std::string& host, int port);

/// Whether something accepts connections there within `seconds`.
bool answers(const std::string& host, int port, int seconds);

}  // namespace heed::ranks
