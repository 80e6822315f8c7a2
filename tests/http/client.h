// A client as simple as HTTP allows: what is sent and what comes back, byte by byte.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace heed::http::testing {

struct Answer {
  int status = 0;
  std::string head, body;

  /// The value of a header, "" where it is missing. `name` in lower case.
  std::string header(const std::string& name) const {
    std::string lower = head;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t at = lower.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + 2 + name.size() + 2;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

/// One connection to a port of this machine. What takes longer than a minute is an exception.
class Client {
 public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("cannot connect");
    }
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) throw std::runtime_error("the server closed while it was sent to");
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Sends no more, as it is when a client closes; returns when the server's side knows.
  void hang_up() const {
    ::shutdown(socket_, SHUT_WR);
    tcp_info about{};
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      socklen_t size = sizeof about;
      if (::getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &about, &size) != 0)
        throw std::runtime_error("the state of a connection is not known");
    } while (about.tcpi_state == TCP_FIN_WAIT1);  // until the end is acknowledged
  }

  /// Reads on until `text` has come; returns all up to its end.
  std::string until(std::string_view text) {
    std::size_t at;
    while ((at = buffer_.find(text)) == std::string::npos) fill();
    return cut(at + text.size());
  }

  /// The next answer, whose length its head says.
  Answer answer() {
    Answer out{.head = until("\r\n\r\n")};
    out.status = std::stoi(out.head.substr(out.head.find(' ')));
    const std::string length = out.header("content-length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    while (buffer_.size() < size) fill();
    out.body = cut(size);
    return out;
  }

  /// Whether the server closes the connection and sends nothing before.
  bool closed() {
    char byte;
    return buffer_.empty() && ::recv(socket_, &byte, 1, 0) == 0;
  }

 private:
  void fill() {
    char chunk[4096];
    const ssize_t count = ::recv(socket_, chunk, sizeof chunk, 0);
    if (count <= 0) throw std::runtime_error("no more came after: " + buffer_);
    buffer_.append(chunk, static_cast<std::size_t>(count));
  }
  std::string cut(std::size_t size) {
    std::string out = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return out;
  }

  int socket_;
  std::string buffer_;
};

inline std::string get_text(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

inline std::string post_text(const std::string& path, const std::string& body,
                             const std::string& type = "application/json") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// One request on a connection of its own.
inline Answer ask(uint16_t port, const std::string& request) {
  Client client(port);
  client.send(request);
  return client.answer();
}

}  // namespace heed::http::testing
