"""How fast `heed serve` answers, and whether it bears what clients do to it. The standard library suffices.

    python3 tests/benchmarks/serving.py MODEL SOURCE [--heed build/release/heed] [--clients 64] [--lines 1000]
    python3 tests/benchmarks/serving.py MODEL SOURCE --beside libretranslate [--libretranslate-python PY]

Starts `heed serve MODEL` and measures, with the lines of SOURCE:

  throughput  so many clients, each with a connection of its own, send a line at a time; beside it `heed translate`
              on the same lines as one file, taking turns. Goal: 0.9 of its lines per second. The clients need processors,
              too: on a busy machine, or one with few, the lines per second of processor time tell more.
  latency     one client alone, lines of 15 words: the median time of an answer beside that of the search alone, as the
              server counts it (heed_search_seconds_total). Goal: 1.3 times it.
  equality    all answers are those of `heed translate`, byte for byte.
  mixed       10,000 good and bad requests from 64 connections, twice: each gets the status that it must; the memory of the
              server before, after the first and after the second time. Goal: at most 32 MiB more after the second.

With --beside libretranslate it measures another thing: the same requests for `heed serve` and for LibreTranslate with the same
model (libretranslate.py; PY is a Python that has it). Both servers, and the clients, have the same --cores. heed searches as
Argos Translate does: beams of 4 and a length penalty of 0.2. All else are the servers' own defaults. LibreTranslate's are 4 threads
of waitress, one of CTranslate2's workers, and batches of 32 pieces; it computes in int8, as published packages do
(--libretranslate-set ARGOS_COMPUTE_TYPE=float32 and the like change this).
1, 8 and 64 clients send lines of SOURCE, and pages of HTML with --segments of them; each client asks again once it has its answer.
What is sent before the clock runs is not sent again. The servers take turns, --rounds times; numbers are medians of the rounds.
Goals: 5 times the requests per second, a third of the median and of the 99th percentile of the times of answers, a fifth of the
resident memory at the end. Prints a table in Markdown.

The exit status is 1 where a goal is missed, with a line for each.
"""

import argparse
import http.client
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import beside

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LEAST_THROUGHPUT = 0.9  # lines per second, relative to heed translate
MOST_LATENCY = 1.3  # an answer's median time, relative to that of the search
MOST_GROWTH = 32  # MiB, between the first and the second time of the mixed requests


class Server:
    def __init__(self, args, *options):
        command = [args.heed, "--quiet", "serve", args.model, "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        if not self.address.port:
            sys.exit("heed serve did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.status = self.process.wait()
        self.process.stdout.close()
        print(f"exit status after SIGTERM: {self.status}")

    def connect(self):
        return http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=120)

    def metric(self, name):
        """The sum over its labels."""
        connection = self.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE))

    def processor(self):
        """Seconds that its threads have computed."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        return self.metric("process_resident_memory_bytes") / 2**20


def translate(connection, line):
    connection.request("POST", "/translate", json.dumps({"q": line}), JSON)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{answer.status}: {body.decode()}")
    return json.loads(body)["translatedText"]


def at_once(count, work):
    """Runs work(number) in so many threads; raises what any of them raised."""
    problems = []

    def run(number):
        try:
            work(number)
        except Exception as problem:  # told below
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def serve_all(server, lines, clients):
    """Seconds for all lines, and their translations."""
    out, waiting, lock = [None] * len(lines), iter(range(len(lines))), threading.Lock()
    begin = time.perf_counter()

    def client(_):
        connection = server.connect()
        while True:
            with lock:
                number = next(waiting, None)
            if number is None:
                return
            out[number] = translate(connection, lines[number])

    at_once(clients, client)
    return time.perf_counter() - begin, out


def timed(command):
    """Seconds, seconds of the processor, and the output."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, text


def translate_file(args, lines):
    """The same of `heed translate`, without what it takes to start and to load the model; and the translations."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        seconds, processor, text = timed([args.heed, "--quiet", "translate", args.model, path])
    idle, idle_processor, _ = timed([args.heed, "--quiet", "translate", args.model, os.devnull])
    return seconds - idle, processor - idle_processor, text.split("\n")[:-1]


def measure_throughput(args, server, lines):
    ratios, processors, others = [], [], 0
    for _ in range(args.repeats):
        before = server.processor()
        served, answers = serve_all(server, lines, args.clients)
        served_processor = server.processor() - before
        alone, processor, expected = translate_file(args, lines)
        wrong = sum(a != b for a, b in zip(answers, expected, strict=True))
        others += wrong
        ratios.append(alone / served)
        processors.append(processor / served_processor)
        print(f"throughput: {len(lines) / served:.1f} lines/s served to {args.clients} clients, "
              f"{len(lines) / alone:.1f} by heed translate, ratio {ratios[-1]:.2f}; by processor time "
              f"{len(lines) / served_processor:.1f}, {len(lines) / processor:.1f}, {processors[-1]:.2f}; "
              f"{wrong} other translations", flush=True)
    print(f"throughput: median ratio {statistics.median(ratios):.2f}, by processor time "
          f"{statistics.median(processors):.2f}")
    return {"throughput": statistics.median(ratios), "others": others}


def measure_latency(server, lines, count):
    fifteen = [line for line in lines if len(line.split()) == 15] or lines
    connection = server.connect()
    translate(connection, fifteen[0])
    times, searches = [], []
    for i in range(count):
        before = server.metric("heed_search_seconds_total")
        begin = time.perf_counter()
        translate(connection, fifteen[i % len(fifteen)])
        times.append(time.perf_counter() - begin)
        searches.append(server.metric("heed_search_seconds_total") - before)
    p50, search = statistics.median(times), statistics.median(searches)
    p95 = statistics.quantiles(times, n=20)[-1]
    ratio = statistics.median(t / s for t, s in zip(times, searches))
    print(f"latency: p50 {1000 * p50:.1f} ms, p95 {1000 * p95:.1f} ms, search {1000 * search:.1f} ms, ratio {ratio:.2f}")
    return {"latency": ratio}


# Method, path, body, headers, statuses that are right.
def mixed_requests(lines):
    good = json.dumps({"q": lines[0]})
    return [
        ("POST", "/translate", good, JSON, {200}),
        ("POST", "/translate", json.dumps({"q": lines[:3], "alternatives": 1}), JSON, {200}),
        ("POST", "/translate", urllib.parse.urlencode({"q": lines[1]}), FORM, {200}),
        ("POST", "/attention", good, JSON, {200}),
        ("POST", "/candidates", good, JSON, {200}),
        ("GET", "/languages", None, {}, {200}),
        ("GET", "/metrics", None, {}, {200}),
        ("GET", "/", None, {}, {200}),
        ("POST", "/translate", "{", JSON, {400}),
        ("POST", "/translate", "{}", JSON, {400}),
        ("POST", "/translate", json.dumps({"q": {"a": [1]}}), JSON, {400}),
        ("POST", "/translate", b"{\"q\": \"\xff\xfe\"}", JSON, {400}),
        ("POST", "/translate", "[" * 50000, JSON, {400}),
        ("POST", "/translate", json.dumps({"q": "a", "source": "\u0000"}), JSON, {400}),
        ("POST", "/translate", json.dumps({"q": "\n" * 5000}), JSON, {413}),
        ("POST", "/translate", "x" * (1 << 20) + "x", JSON, {413}),
        ("GET", "/translate", None, {}, {405}),
        ("DELETE", "/%2e%2e/%00", None, {}, {404}),
    ]


def measure_mixed(server, lines, count, clients=64):
    requests = mixed_requests(lines)
    before, wrong, statuses = server.memory(), [], {}
    lock = threading.Lock()

    def client(number):
        connection = server.connect()
        for i in range(number, count, clients):
            method, path, body, headers, right = requests[i % len(requests)]
            if i % 23 == 0:  # asks and does not wait
                connection.request(method, path, body, headers)
                connection.close()
                continue
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            with lock:
                statuses[answer.status] = statuses.get(answer.status, 0) + 1
                if answer.status not in right | {429, 503}:
                    wrong.append((method, path, answer.status))

    middle = None
    for _ in range(2):  # what is needed once is there after the first half
        begin = time.perf_counter()
        at_once(clients, client)
        print(f"mixed: {count} requests in {time.perf_counter() - begin:.1f} s, statuses "
              f"{dict(sorted(statuses.items()))}, wrong {wrong[:5]}")
        middle = middle or server.memory()
        statuses.clear()
    after = server.memory()
    print(f"mixed: memory {before:.0f} MiB, then {middle:.0f}, then {after:.0f}; running: {server.process.poll() is None}")
    return {"wrong": len(wrong), "growth": after - middle}


def missed(found):
    """A line for each goal that was missed; `found` is what the measurements returned, together. What was not measured was
    not missed."""
    lines = []
    if found.get("others", 0) > 0:
        lines.append(f"equality: {found['others']} answers are not what heed translate gives")
    if found.get("throughput", LEAST_THROUGHPUT) < LEAST_THROUGHPUT:
        lines.append(f"throughput: {found['throughput']:.3f} times the lines per second of heed translate, less than "
                     f"{LEAST_THROUGHPUT}")
    if found.get("latency", MOST_LATENCY) > MOST_LATENCY:
        lines.append(f"latency: an answer takes {found['latency']:.3f} times as long as its search, more than {MOST_LATENCY}")
    if found.get("wrong", 0) > 0:
        lines.append(f"mixed: {found['wrong']} requests got another status than they must")
    if found.get("growth", MOST_GROWTH) > MOST_GROWTH:
        lines.append(f"mixed: the server grew by {found['growth']:.1f} MiB the second time, more than {MOST_GROWTH}")
    if found.get("status", 0) != 0:
        lines.append(f"the server ended with status {found['status']} after SIGTERM")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--only", choices=["throughput", "latency", "mixed"])
    beside.add_options(parser)
    args = parser.parse_args()
    with open(args.source, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file][:args.lines]
    if args.beside:
        if told := beside.compare(args, lines, Server):
            sys.exit("\n".join(told))
        return
    found = {}
    with Server(args) as server:
        if args.only in (None, "latency"):
            found |= measure_latency(server, lines, 50)
        if args.only in (None, "throughput"):
            found |= measure_throughput(args, server, lines)
        if args.only in (None, "mixed"):
            found |= measure_mixed(server, lines, args.requests)
    if told := missed({**found, "status": server.status}):
        sys.exit("\n".join(told))


if __name__ == "__main__":
    main()
