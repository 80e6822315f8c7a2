#include "http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "http/exchange.h"
#include "http/multipart.h"

namespace heed::http {
namespace {

using Clock = std::chrono::steady_clock;

// A body that is too large is read all the same, so that the client gets to the answer; but only up
// to this many times the limit.
constexpr std::size_t kPatience = 8;

/// A request while it comes in. Only the network's thread uses it, except for `exchange`.
struct Arrival {
  std::shared_ptr<Exchange> exchange;
  Request request = {};
  std::size_t discarded = 0;  // bytes of a body that is too large
  bool dispatched = false;    // a handler has it
  Fields headers = {};        // headers of the answer, beside its own
  Clock::time_point begun = Clock::now();
};

struct Address {
  sockaddr_storage storage{};
  unsigned flags = 0;
  std::string shown;      // the address as a URL has it
  bool loopback = false;  // only this machine can reach it
};

Address parse(const std::string& text, uint16_t port) {
  const std::string name = text == "localhost" ? "127.0.0.1" : text;
  Address out;
  auto* four = reinterpret_cast<sockaddr_in*>(&out.storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&out.storage);
  if (inet_pton(AF_INET, name.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    out.shown = name;
    out.loopback = ntohl(four->sin_addr.s_addr) >> 24 == 127;
  } else if (inet_pton(AF_INET6, name.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    out.flags = MHD_USE_IPv6;
    out.shown = "[" + name + "]";
    out.loopback = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
  } else {
    throw UserError(
        "'{}' is no address of this machine; 127.0.0.1 is for it alone, 0.0.0.0 for the network",
        text);
  }
  return out;
}

void log_line(void*, const char* format, std::va_list values) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, values);
  log::debug("libmicrohttpd: " + one_line(trim(text), 400));
}

MHD_Result add_field(void* fields, MHD_ValueKind, const char* name, const char* value) {
  static_cast<Fields*>(fields)->emplace_back(name ? name : "", value ? value : "");
  return MHD_YES;
}

std::string header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value ? value : "";
}

/// The type without parameters: "text/html; charset=utf-8" -> "text/html".
std::string type_of(const std::string& value) {
  return ascii_lower(trim(split(value, ';')[0]));
}

/// The path with one slash where it has several: clients put "/translate" after an address that
/// ends in a slash.
std::string with_single_slashes(std::string path) {
  const auto both_are_slashes = [](char a, char b) { return a == '/' && b == '/'; };
  path.erase(std::unique(path.begin(), path.end(), both_are_slashes), path.end());
  return path;
}

constexpr std::string_view kDecimal = "0123456789", kHexadecimal = "0123456789abcdef:.",
                           kNameBytes = "abcdefghijklmnopqrstuvwxyz0123456789-._";

/// The name in a host, "example.org" of "Example.org:8000" and "[::1]" of "[::1]:8000"; nothing
/// where it is not a name or an address, alone or with a port: it would stand in URLs of answers.
std::optional<std::string> name_in(const std::string& host) {
  const std::string small = ascii_lower(host);
  const std::string_view all = small;
  const bool has_brackets = all.starts_with('[');
  const std::size_t end = std::min(has_brackets ? all.find(']') : all.find(':'), all.size());
  const std::string_view name = all.substr(0, end + (has_brackets ? 1 : 0)),
                         inside = all.substr(has_brackets ? 1 : 0, has_brackets ? end - 1 : end),
                         after = all.substr(name.size());
  if (inside.empty() || (has_brackets && !name.ends_with(']')) ||
      inside.find_first_not_of(has_brackets ? kHexadecimal : kNameBytes) != inside.npos)
    return std::nullopt;
  if (!after.empty()) {
    constexpr int kMostPort = 65535;
    const std::string port(after.substr(1));  // may be empty: RFC 3986, 3.2.3
    if (after[0] != ':' || port.size() > 5 || port.find_first_not_of(kDecimal) != port.npos ||
        std::atoi(port.c_str()) > kMostPort)
      return std::nullopt;
  }
  return std::string(name);
}

/// The host of an origin: "http://example.org:8000" -> "example.org:8000".
std::string host_of(const std::string& origin) {
  const std::size_t end = origin.find("://");
  return ascii_lower(end == std::string::npos ? origin : origin.substr(end + 3));
}

}  // namespace

struct Server::Impl {
  ServerOptions options;
  std::vector<Route> routes;
  std::string shown;                // address
  std::set<std::string> own_names;  // the names under which it answers; empty: any
  MHD_Daemon* daemon = nullptr;
  MHD_socket listening = MHD_INVALID_SOCKET;  // set once it is drained
  std::atomic<bool> draining = false;
  mutable std::mutex mutex;
  std::set<std::shared_ptr<Exchange>> open;  // requests with a handler, not yet completed

  void start() {
    const Address address = parse(options.address, options.port);
    shown = address.shown;
    if (address.loopback) {
      own_names = {"127.0.0.1", "localhost", "[::1]", shown};
      for (const std::string& name : options.names) own_names.insert(ascii_lower(name));
    }
    // poll() is used, because with epoll libmicrohttpd reads 128 events at a time and may wait for
    // new ones before it has handled them, until a connection times out.
    const unsigned flags =
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | address.flags;
    daemon = MHD_start_daemon(
        flags, options.port, nullptr, nullptr, on_request, this, MHD_OPTION_EXTERNAL_LOGGER,
        log_line, nullptr, MHD_OPTION_SOCK_ADDR,
        reinterpret_cast<const sockaddr*>(&address.storage), MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, this, MHD_OPTION_CONNECTION_LIMIT, options.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(options.idle.count()), MHD_OPTION_END);
    if (daemon) return;
    const std::string where = fmt::format("{}:{}", shown, options.port);
    if (errno == EADDRINUSE)
      throw UserError(where + " is taken by another program; choose another --port, or 0 for any");
    if (errno == EADDRNOTAVAIL)
      throw UserError(options.address + ": no address of this machine; 127.0.0.1 always is");
    if (errno == EACCES)
      throw UserError(where +
                      ": this user may not listen there; ports from 1024 on are free to all");
    throw Failure(where + ": cannot listen: " + std::generic_category().message(errno));
  }

  void stop() {
    for (const auto& exchange : pending())
      exchange->send(try_again(503, "the server is going down", 5));
    // Stopping the server closes connections whose answers are not yet sent, so it waits a moment
    // for these.
    const auto most = Clock::now() + std::chrono::seconds(1);
    while (!pending().empty() && Clock::now() < most)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    MHD_stop_daemon(daemon);
    if (listening != MHD_INVALID_SOCKET) ::close(listening);
  }

  std::set<std::shared_ptr<Exchange>> pending() const {
    const std::scoped_lock lock(mutex);
    return open;
  }

  const Route* route(const Request& request) const {
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    for (const Route& route : routes)
      if (route.method == method && route.path == request.path) return &route;
    return nullptr;
  }

  std::string methods_at(const std::string& path) const {
    std::vector<std::string> methods;
    for (const Route& one : routes)
      if (one.path == path) methods.push_back(one.method);
    return join(methods, ", ");
  }

  /// The answer to a client that may not ask; nothing where it may.
  std::optional<Response> refusal(MHD_Connection* connection, Arrival& arrival) const {
    const std::string host = header(connection, "Host");  // may be missing without a browser
    const std::optional<std::string> name = name_in(host);
    if (!host.empty() && !name)
      return error(400,
                   "Host: is not a name or an address with a port; send the one at which you "
                   "reach the server, such as localhost:8000");
    if (!own_names.empty() && name && !own_names.contains(*name))
      return error(421,
                   "this server answers only under the name localhost; heed serve --name allows "
                   "another one");
    const std::string origin = header(connection, "Origin");
    if (!origin.empty() && host_of(origin) != ascii_lower(host)) {
      const auto& allowed = options.origins;
      if (std::ranges::count(allowed, "*") == 0 && std::ranges::count(allowed, origin) == 0)
        return error(
            403,
            fmt::format("pages of {} may not send requests; heed serve --allow-origin allows them",
                        one_line(origin)));
      arrival.headers = {{"Access-Control-Allow-Origin", origin},
                         {"Access-Control-Allow-Methods", methods_at(arrival.request.path)},
                         {"Access-Control-Allow-Headers", "Content-Type"},
                         {"Vary", "Origin"}};
    }
    if (arrival.request.method == "POST" && arrival.request.type == "text/plain")
      return error(415, "a body of plain text is not accepted; send JSON or a form");
    const std::string encoding = ascii_lower(header(connection, "Content-Encoding"));
    if (!encoding.empty() && encoding != "identity")
      return error(415, "a compressed body is not accepted; send it without Content-Encoding");
    return std::nullopt;
  }

  void dispatch(MHD_Connection* connection, Arrival& arrival) {
    Request& request = arrival.request;
    const Reply reply(arrival.exchange);
    arrival.dispatched = true;
    {
      const std::scoped_lock lock(mutex);
      open.insert(arrival.exchange);
    }
    if (draining) return reply.send(try_again(503, "the server is going down", 5));
    if (const auto no = refusal(connection, arrival)) return reply.send(*no);
    if (arrival.discarded > 0)
      return reply.send(error(
          413, fmt::format("the body has more than {} bytes; send less at a time", options.body)));
    const Route* chosen = route(request);
    if (!chosen) {
      const std::string allowed = methods_at(request.path);
      if (allowed.empty()) return reply.send(error(404, "nothing is at " + one_line(request.path)));
      if (request.method == "OPTIONS")
        return reply.send({.status = 204, .headers = {{"Allow", allowed}}});
      return reply.send(error(405, request.path + " takes " + allowed, {{"Allow", allowed}}));
    }
    try {
      if (request.type == "application/x-www-form-urlencoded")
        request.form = urlencoded_fields(request.body);
      if (request.type == "multipart/form-data") {
        MultipartForm form = read_multipart(request.body, header(connection, "Content-Type"));
        request.form = std::move(form.fields);
        request.files = std::move(form.files);
      }
      chosen->handler(request, reply);
    } catch (const UserError& problem) {
      reply.send(error(400, problem.what()));
    } catch (const std::exception& problem) {
      log::error(request.path + ": " + problem.what());
      reply.send(error(500, "the server failed; its log says why"));
    }
  }

  MHD_Result take(MHD_Connection* connection, Arrival& arrival, const char* data, size_t* size) {
    if (*size > 0) {
      std::string& body = arrival.request.body;
      if (arrival.discarded > 0 || body.size() + *size > options.body) {
        arrival.discarded += body.size() + *size;
        std::string().swap(body);
        if (arrival.discarded > kPatience * options.body) return MHD_NO;
      } else {
        body.append(data, *size);
      }
      *size = 0;
      return MHD_YES;
    }
    if (!arrival.dispatched) dispatch(connection, arrival);
    return arrival.exchange->go_on(arrival.headers, draining);
  }

  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url,
                               const char* method, const char*, const char* data, size_t* size,
                               void** context) try {
    Impl& impl = *static_cast<Impl*>(self);
    if (*context) return impl.take(connection, *static_cast<Arrival*>(*context), data, size);
    auto owner = std::make_unique<Arrival>(Arrival{std::make_shared<Exchange>(connection)});
    Arrival& arrival = *owner;
    arrival.request.method = method;
    arrival.request.path = with_single_slashes(url);
    arrival.request.host = header(connection, "Host");
    arrival.request.type = type_of(header(connection, "Content-Type"));
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_field, &arrival.request.query);
    *context = owner.release();  // freed in on_completed
    // A body whose header says that it is far too large need not be sent.
    const std::string length = header(connection, "Content-Length");
    const bool asks = !header(connection, "Expect").empty();
    const double bytes = length.empty() ? 0 : std::strtod(length.c_str(), nullptr);
    if (bytes > static_cast<double>(impl.options.body) * (asks ? 1 : kPatience)) {
      arrival.discarded = 1;
      impl.dispatch(connection, arrival);
      return arrival.exchange->go_on(arrival.headers, true);
    }
    return MHD_YES;
  } catch (const std::exception& problem) {  // no exception may reach libmicrohttpd, which is C
    log::error(std::string("the server failed: ") + problem.what());
    return MHD_NO;
  }

  void complete(const Arrival& arrival) {
    const Request& request = arrival.request;
    const Route* chosen = route(request);
    const std::chrono::duration<double> time = Clock::now() - arrival.begun;
    const FinishedRequest about{.method = chosen ? chosen->method : "other",
                                .path = chosen ? chosen->path : "other",
                                .status = arrival.exchange->status(),
                                .seconds = time.count()};
    log::debug("{} {}: {}, {} ms", request.method, one_line(request.path), about.status,
               fixed(1000 * about.seconds, 1));
    if (options.finished) options.finished(about);
    const std::scoped_lock lock(mutex);
    open.erase(arrival.exchange);
  }

  static void on_completed(void* self, MHD_Connection*, void** context,
                           MHD_RequestTerminationCode why) {
    const std::unique_ptr<Arrival> arrival(static_cast<Arrival*>(*context));
    if (!arrival) return;
    *context = nullptr;
    arrival->exchange->leave(why == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    try {
      static_cast<Impl*>(self)->complete(*arrival);
    } catch (const std::exception& problem) {
      log::error(std::string("the server failed: ") + problem.what());
    }
  }
};

Server::Server(ServerOptions options, std::vector<Route> routes) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  impl_->routes = std::move(routes);
  impl_->start();
}

Server::~Server() {
  drain();
  impl_->stop();
}

uint16_t Server::port() const {
  return MHD_get_daemon_info(impl_->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

std::string Server::url() const {
  return fmt::format("http://{}:{}/", impl_->shown, port());
}

void Server::drain() {
  if (impl_->draining.exchange(true)) return;
  impl_->listening = MHD_quiesce_daemon(impl_->daemon);
  // It is closed only at the end, because the server's thread may be waiting for it.
  if (impl_->listening != MHD_INVALID_SOCKET) ::shutdown(impl_->listening, SHUT_RDWR);
}

std::size_t Server::pending() const {
  return impl_->pending().size();
}

}  // namespace heed::http
