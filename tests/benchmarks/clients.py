"""Clients of a web server: so many connections at once, each of which asks again as soon as it has its answer. All of them are
one thread that waits for all sockets, so that they take little of the processors that they share with the server. Also the
memory and the processor time of a server's processes.
"""

import collections
import json
import os
import pathlib
import selectors
import socket
import time

Answers = collections.namedtuple("Answers", "seconds times texts")  # of all; of each request its seconds, and its text
Memory = collections.namedtuple("Memory", "resident proportional")  # MiB


def request_of(address, path, body):
    """The bytes of a POST with this JSON. `address` is a pair of host and port."""
    content = json.dumps(body).encode()
    head = (f"POST {path} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n")
    return head.encode() + content


def answer_in(received):
    """(status, body, whether the connection stays open) of an answer, or None where some of it has not come yet."""
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "content-length" not in fields:
        raise RuntimeError(f"an answer without Content-Length: {first}")
    size = int(fields["content-length"])
    if len(body) < size:
        return None
    if len(body) > size:
        raise RuntimeError(f"an answer of {size} bytes has {len(body)}")
    return int(first.split()[1]), bytes(body), fields.get("connection", "").lower() != "close"


class Client:
    """A connection, made anew where the server closes it after an answer."""

    def __init__(self, address, selector):
        self.address, self.selector, self.socket = address, selector, None

    def ask(self, number, request):
        self.number, self.received, self.begin = number, bytearray(), time.perf_counter()
        if self.socket is None:
            self.socket = socket.create_connection(self.address, timeout=300)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(self.socket, selectors.EVENT_READ, self)
        self.socket.sendall(request)

    def close(self):
        if self.socket is not None:
            self.selector.unregister(self.socket)
            self.socket.close()
            self.socket = None

    def read(self):
        """The body of the answer and its seconds, or None where some of it has not come yet."""
        data = self.socket.recv(1 << 16)
        if not data:
            raise RuntimeError("the server closed a connection before it answered")
        self.received += data
        answer = answer_in(self.received)
        if answer is None:
            return None
        seconds = time.perf_counter() - self.begin
        status, body, stays = answer
        if status != 200:
            raise RuntimeError(f"status {status}: {body.decode(errors='replace')[:300]}")
        if not stays:
            self.close()
        return body, seconds


def ask_all(address, requests, clients):
    """Sends the requests, each by the next client that has its answer, and returns Answers with "translatedText" of each."""
    times, bodies = [None] * len(requests), [None] * len(requests)
    waiting, left = iter(enumerate(requests)), len(requests)
    with selectors.DefaultSelector() as selector:
        everyone = [Client(address, selector) for _ in range(min(clients, len(requests)))]
        begin = time.perf_counter()
        for client in everyone:
            client.ask(*next(waiting))
        while left > 0:
            ready = selector.select(timeout=300)
            if not ready:
                raise RuntimeError("the server has not answered for 300 seconds")
            for key, _ in ready:
                client = key.data
                answer = client.read()
                if answer is None:
                    continue
                bodies[client.number], times[client.number] = answer
                left -= 1
                if (following := next(waiting, None)) is not None:
                    client.ask(*following)
        seconds = time.perf_counter() - begin
        for client in everyone:
            client.close()
    return Answers(seconds, times, [json.loads(body)["translatedText"] for body in bodies])


def percentile(values, share):
    """The smallest of the values that at least this share of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def family(process):
    """The number of a process and those of all that it has started, and so on."""
    found = [process]
    for parent in found:  # grows
        for tasks in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += [int(child) for child in tasks.read_text().split()]
            except OSError:  # ended meanwhile
                pass
    return found


def memory(process):
    """MiB of a process and its children: resident pages, and these with each shared page divided among those who share it."""
    total = collections.Counter()
    for one in family(process):
        for line in pathlib.Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()[1:]:
            name, amount, *_ = line.split()
            total[name] += int(amount)
    return Memory(total["Rss:"] / 1024, total["Pss:"] / 1024)


def processor(process):
    """Seconds that a process and its children have computed."""
    total = 0
    for one in family(process):
        fields = pathlib.Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")
