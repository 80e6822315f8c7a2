#!/usr/bin/env python3
"""Target tokens/s on more cores, machines and GPUs, predicted from rows that `heed-bench train` measures here.

    python3 tests/benchmarks/scale_out.py CONFIG --system transformer [--cores 1,2,4,8,16,64] [--rounds 5]

Measures updates with one thread and with all in turn, and with `heed doctor --ranks` the exchange of gradients between
ranks of this machine. Prints CSV: the measured rows, and the predictions of a model of the time of an update. An update
computes micro-batches ("parts", each by one core), adds their gradients along a binary tree, exchanges gradients and
weights between ranks (processes), and steps the optimizer, of which each rank has a shard. `batch` is `same` where the
parts are those of the configuration, `larger` where the batch grows to --parts-per-core parts for each core. error_% is
the error of a prediction where the same was measured. docs/performance.md has the model's terms.
"""

import argparse
import csv
import dataclasses
import heapq
import math
import os
import re
import statistics
import subprocess
import sys

COLUMNS = ["system", "row", "where", "batch", "cores", "ranks", "parts", "tokens", "update_s", "tokens_per_s",
           "speedup", "efficiency_%", "compute_%", "exchange_%", "optimizer_%", "batches_%", "error_%"]


@dataclasses.dataclass
class Shared:
    """Work that the threads of one rank share: its seconds on one core, and on all that were measured."""
    alone: float = 0
    together: float = 0


@dataclasses.dataclass
class Costs:
    """The costs of one system, measured on one machine."""
    parts: list            # (seconds of forward and backward on one core, target tokens), of one or more updates
    parts_per_update: int = 1
    cores: int = 1         # of which `together` and `slowdown` tell
    slowdown: float = 1    # of a part when all cores compute at once, for they share memory
    add: float = 0         # seconds to add one gradient to another, on one core
    optimizer: Shared = dataclasses.field(default_factory=Shared)  # norm, step and average, over all weights
    copy: Shared = dataclasses.field(default_factory=Shared)       # of one gradient
    making_batches: float = 0  # seconds for each part, by a thread of its own in each rank
    bytes: float = 0       # of one gradient, and of the weights


@dataclasses.dataclass
class Connection:
    """Between two ranks, in each direction."""
    bytes_per_second: float = 1
    latency: float = 0  # seconds of one message


@dataclasses.dataclass
class Layout:
    ranks: int = 1
    workers: int = 1        # cores of each rank
    parts: int = 1          # of an update, over all ranks
    ranks_at_once: int = 1  # ranks of one machine
    cores: float = math.inf  # of one machine


@dataclasses.dataclass
class Time:
    """Seconds of one update."""
    compute: float = 0
    tree: float = 0
    exchange: float = 0
    optimizer: float = 0
    making: float = 0   # of its batches, as far as it slows the cores down
    waiting: float = 0  # for batches that are not there in time
    tokens: float = 0   # of the target

    def seconds(self):
        return self.compute + self.tree + self.exchange + self.optimizer + self.making + self.waiting


def accumulate(seconds, begin, parts, workers, add):
    """(seconds, sums): gradients of parts [begin, begin + len(seconds)) of an update of `parts`, each computed by the
    next free one of `workers` cores. Who brings the second of two neighbours in the tree adds it to the first, for `add`
    seconds. `sums` are left for other ranks to join: 1 where all parts are there."""
    heights = [None] * parts  # of the subtree whose sum waits here for its neighbour
    # When it is done, the order of events at the same time, the first part of a subtree and its height.
    events = [(seconds[part], part, begin + part, 0) for part in range(min(workers, len(seconds)))]
    heapq.heapify(events)
    following = order = len(events)
    end = 0.0
    while events:
        end, _, first, height = heapq.heappop(events)
        joined = False
        while (width := 1 << height) < parts:
            neighbour = first ^ width
            if neighbour < parts:
                if heights[neighbour] != height:
                    break
                heights[neighbour] = None
                first &= ~width
                joined = True
            height += 1
            if joined:
                break
        if joined:
            heapq.heappush(events, (end + add, order, first, height))
        else:
            heights[first] = height
            if following == len(seconds):
                continue
            heapq.heappush(events, (end + seconds[following], order, begin + following, 0))
            following += 1
        order += 1
    return end, sum(height is not None for height in heights)


def seconds_of(work, cores, workers):
    """On `workers` cores. A share of the work, fitted to both measurements, does not become faster with more."""
    serial = 0
    if cores > 1 and work.alone > 0:
        serial = min(max((work.together / work.alone - 1 / cores) / (1 - 1 / cores), 0), 1)
    return work.alone * (serial + (1 - serial) / workers)


def exchange_seconds(size, sums, ranks, connection):
    """An all_to_all of the ranks' sums of gradients, an all_gather of the weights and three exchanges of a few numbers.
    Each rank sends (ranks - 1) / ranks of its `sums` gradients and of the weights."""
    if ranks == 1:
        return 0
    return ((sums + 1) * size * (ranks - 1) / ranks / connection.bytes_per_second
            + 5 * (ranks - 1) * connection.latency)


def add_parts(costs, layout, start, factor, time):
    """Adds the time that the slowest rank takes for its parts. Returns the most sums that a rank is left with."""
    slowest = without_tree = 0
    sums = 1
    for rank in range(layout.ranks):
        begin, end = layout.parts * rank // layout.ranks, layout.parts * (rank + 1) // layout.ranks
        measured = [costs.parts[(start + part) % len(costs.parts)] for part in range(begin, end)]
        seconds = [one * factor for one, _ in measured]
        time.tokens += sum(tokens for _, tokens in measured)
        took, left = accumulate(seconds, begin, layout.parts, layout.workers, costs.add * factor)
        slowest, sums = max(slowest, took), max(sums, left)
        without_tree = max(without_tree, accumulate(seconds, begin, layout.parts, layout.workers, 0)[0])
    time.compute += without_tree
    time.tree += slowest - without_tree
    return sums


def predict(costs, layout, connection):
    """Where more cores than measured compute at once the slowdown is that of all measured cores: a larger machine has
    more memory channels."""
    threads = layout.workers * layout.ranks_at_once
    # The threads that have a part; more of them than cores take turns.
    busy = min(threads, (layout.parts * layout.ranks_at_once + layout.ranks - 1) // layout.ranks)
    turns = max(1, threads / layout.cores)
    at_once = min(busy, layout.cores, costs.cores)
    factor = max(1, busy / layout.cores)
    if costs.cores > 1:
        factor *= 1 + (costs.slowdown - 1) * (at_once - 1) / (costs.cores - 1)
    time = Time()
    draws = max(1, len(costs.parts) // costs.parts_per_update)
    for draw in range(draws):
        sums = add_parts(costs, layout, draw * costs.parts_per_update, factor, time)
    time.compute, time.tree, time.tokens = time.compute / draws, time.tree / draws, time.tokens / draws
    time.optimizer = turns * seconds_of(costs.optimizer, costs.cores, layout.workers) / layout.ranks
    if layout.ranks > 1:
        # Sums become flat tensors, several are joined; a rank's weights, then all, are copied.
        copies = (2 * sums if sums > 1 else 1) + 1 + 1 / layout.ranks
        added = costs.add * (layout.ranks - 1) / layout.ranks
        time.exchange = (exchange_seconds(costs.bytes, sums, layout.ranks, connection)
                         + turns * (copies * seconds_of(costs.copy, costs.cores, layout.workers) + added))
    batches = costs.making_batches * layout.parts
    if busy >= layout.cores:
        time.making = batches * layout.ranks_at_once / layout.cores
    time.waiting = max(0, batches - time.seconds())
    return time


def predict_gpus(costs, rate, gpus, parts, connection):
    """An update of so many of the measured parts, none divided. Each GPU trains `rate` tokens/s, its optimizer included."""
    tokens = statistics.mean(tokens for _, tokens in costs.parts)
    time = Time(tokens=tokens * parts, compute=tokens / rate * -(-parts // gpus),
                exchange=exchange_seconds(costs.bytes, 1, gpus, connection))
    time.waiting = max(0, costs.making_batches * parts - time.seconds())
    return time


class Rows:
    """The table of one system; the first row of each kind has speedup 1."""

    def __init__(self, system, parts):
        self.system, self.parts, self.rows, self.units, self.measured = system, parts, [], {}, {}

    def add(self, kind, where, cores, ranks, parts, tokens, seconds, rest):
        rate = tokens / seconds
        unit_cores, unit_rate = self.units.setdefault((kind, where == "GPUs"), (cores, rate))
        speedup = rate / unit_rate
        self.rows.append([self.system, kind, where, "same" if parts == self.parts else "larger", cores, ranks, parts,
                          f"{tokens:.0f}", f"{seconds:.3f}", f"{rate:.0f}", f"{speedup:.2f}",
                          f"{100 * speedup * unit_cores / cores:.1f}", *rest])
        return rate

    def add_measured(self, cores, parts, tokens, seconds):
        self.measured[cores, parts] = self.add("measured", "here", cores, 1, parts, tokens, seconds, [""] * 5)

    def add_predicted(self, where, cores, ranks, parts, time):
        shares = [100 * one / time.seconds()
                  for one in (time.compute + time.tree, time.exchange, time.optimizer, time.making + time.waiting)]
        measured = self.measured.get((cores, parts)) if where == "here" and ranks == 1 else None
        error = f"{100 * (time.tokens / time.seconds() / measured - 1):.1f}" if measured else ""
        self.add("predicted", where, cores, ranks, parts, time.tokens, time.seconds(),
                 [f"{share:.1f}" for share in shares] + [error])


def add_cores(rows, costs, args):
    """The batch of the configuration, and one that has a part for each core."""
    network = Connection(args.bandwidth * 1e9, args.latency * 1e-6)
    widths = args.cores_per_rank or [args.threads, 64]
    wanted = [(cores, args.threads, costs.parts_per_update) for cores in (1, args.threads)]
    for grows in (0, args.parts_per_core):
        wanted += [(cores, width, max(rows.parts, cores * grows)) for width in widths for cores in args.cores]
    seen = set()
    for cores, width, parts in wanted:
        ranks = -(-cores // width)
        workers = cores // ranks
        if (ranks, workers, parts) in seen:
            continue
        seen.add((ranks, workers, parts))
        where = f"{ranks} machines" if ranks > 1 else "here" if cores <= args.threads else "one machine"
        layout = Layout(ranks=ranks, workers=workers, parts=parts,
                        cores=max(args.threads, cores) if ranks == 1 else width)
        rows.add_predicted(where, ranks * workers, ranks, parts, predict(costs, layout, network))


def add_ranks_here(rows, costs, args, exchanges):
    """Ranks that share the cores here; `exchanges` by their number."""
    for ranks, connection in exchanges.items():
        parts = max(costs.parts_per_update, ranks)
        layout = Layout(ranks=ranks, workers=max(1, args.threads // ranks), parts=parts, ranks_at_once=ranks,
                        cores=args.threads)
        rows.add_predicted("here", args.threads, ranks, parts, predict(costs, layout, connection))


def add_gpus(rows, costs, args):
    if not args.gpu_tokens_per_second:
        return
    network = Connection(args.gpu_bandwidth * 1e9, args.latency * 1e-6)
    sizes = [(1, rows.parts)] + [(gpus, rows.parts) for gpus in args.gpus]
    for gpus, parts in dict.fromkeys(sizes + [(gpus, rows.parts * gpus) for gpus in args.gpus]):
        rows.add_predicted("GPUs", gpus, gpus, parts,
                           predict_gpus(costs, args.gpu_tokens_per_second, gpus, parts, network))


def costs_of(alone, together, parts, tokens, args):
    """From rows of `heed-bench train`, one thread's and all threads'; `parts` and target `tokens` of an update. What is
    left of an update on one core is the sums of its gradients."""
    def share(row, *names):
        return tokens / float(row["tokens_per_s"]) * sum(float(row[name + "_%"]) for name in names) / 100

    computing = share(alone, "forward", "backward")
    whole = tokens / float(alone["tokens_per_s"])
    add = max(0.0, whole - share(alone, "forward", "backward", "optimizer", "waiting")) / max(1, parts - 1)
    number, unit = re.fullmatch(r"([\d.]+)([kMB]?)", together["parameters"]).groups()
    return Costs(parts=[(computing / parts, tokens / parts)], cores=args.threads, add=add, copy=Shared(add, add),
                 parts_per_update=parts,
                 slowdown=share(together, "forward", "backward") * min(parts, args.threads) / computing,
                 optimizer=Shared(share(alone, "optimizer"), share(together, "optimizer")),
                 making_batches=tokens / parts / args.loading,
                 bytes=4 * float(number) * {"": 1, "k": 1e3, "M": 1e6, "B": 1e9}[unit])


def table_of(alone, together, exchanges, config_parts, parts, tokens, args):
    rows = Rows(args.system, config_parts)
    costs = costs_of(alone, together, parts, tokens, args)
    rows.add_measured(1, parts, tokens, tokens / float(alone["tokens_per_s"]))
    if args.threads > 1:
        rows.add_measured(args.threads, parts, tokens, tokens / float(together["tokens_per_s"]))
    add_cores(rows, costs, args)
    add_ranks_here(rows, costs, args, exchanges)
    add_gpus(rows, costs, args)
    return rows.rows


def output_of(program, *words):
    result = subprocess.run([program, "--quiet", *map(str, words)], check=True, capture_output=True, text=True)
    return result.stdout


def batch_of(args):
    """(parts, padded target tokens) of an update of the configuration."""
    text = output_of(args.heed, "config", args.config, *sets_of(args)).split("\ntraining:\n")[1]
    value = {key: re.search(rf"^  {key}: (\S+)$", text, re.M)[1]
             for key in ("batch_size", "batch_type", "micro_batches", "accumulate")}
    if value["batch_type"] != "tokens":
        sys.exit("training.batch_type: measure with --set training.batch_type=tokens")
    size, accumulate = int(value["batch_size"]), int(value["accumulate"])
    return (int(value["micro_batches"]) or max(1, size // 2048)) * accumulate, size * accumulate


def sets_of(args):
    return [word for setting in args.set for word in ("--set", setting)]


def measure(args, threads):
    """A row of `heed-bench train`."""
    lines = output_of(args.bench, "train", args.config, "--systems", args.system, "--threads", threads, "--updates",
                      args.updates, *sets_of(args), "--set", "device=cpu").splitlines()
    return dict(zip(lines[0].split(), lines[1].split()))


def exchange_here(args, ranks):
    """The speed of the exchange, by how long a gradient of 32 MB takes, which each of the ranks sends without its own share, and
    gets back."""
    text = output_of(args.heed, "doctor", "--ranks", ranks)
    size, milliseconds = map(float, re.search(r"gradient of (\d+) MB .* in (\d+) ms", text).groups())
    return Connection(2e6 * size * (ranks - 1) / ranks / max(1e-3 * milliseconds, 1e-6), 20e-6)


def median_row(rows):
    numbers = {}
    for name in rows[0]:
        try:
            numbers[name] = statistics.median(float(row[name]) for row in rows)
        except ValueError:
            numbers[name] = rows[0][name]
    return numbers


def numbers_of(text):
    return [int(one) for one in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--bench", default="build/release/heed-bench")
    parser.add_argument("--system", required=True)
    parser.add_argument("--set", action="append", default=[], help="change one key of the file")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="cores of this machine")
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5, help="runs of which the median is taken")
    parser.add_argument("--cores", type=numbers_of, default=[1, 2, 4, 8, 16, 64], help="cores in all")
    parser.add_argument("--cores-per-rank", type=numbers_of, default=[], help="of one machine; those here, and 64")
    parser.add_argument("--parts-per-core", type=int, default=1, help="where the batch grows")
    parser.add_argument("--bandwidth", type=float, default=1.1, help="GB/s between machines, each direction")
    parser.add_argument("--latency", type=float, default=50, help="microseconds of a message between machines")
    parser.add_argument("--loading", type=float, default=112000, help="target tokens/s that one thread makes batches of")
    parser.add_argument("--gpus", type=numbers_of, default=[8, 16, 32, 64])
    parser.add_argument("--gpu-tokens-per-second", type=float, default=0, help="of one GPU; without it no rows for GPUs")
    parser.add_argument("--gpu-bandwidth", type=float, default=20, help="GB/s between GPUs, each direction")
    args = parser.parse_args()
    if min(args.bandwidth, args.gpu_bandwidth, args.loading) <= 0:
        parser.error("--bandwidth, --gpu-bandwidth, --loading: a rate is above 0")
    config_parts, padded = batch_of(args)
    # Where a batch has fewer parts than there are cores, an update has more batches.
    more = -(-args.threads // config_parts)
    if more > 1:
        accumulate = re.search(r"^  accumulate: (\d+)$", output_of(args.heed, "config", args.config, *sets_of(args)), re.M)
        args.set.append(f"training.accumulate={more * int(accumulate[1])}")
    rounds = [(measure(args, 1), measure(args, args.threads)) for _ in range(args.rounds)]
    alone, together = (median_row(rows) for rows in zip(*rounds))
    together["parameters"] = rounds[0][0]["parameters"]
    exchanges = {ranks: exchange_here(args, ranks) for ranks in (2, 4)}
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)
    writer.writerows(table_of(alone, together, exchanges, config_parts, config_parts * more,
                              more * padded * (1 - alone["padding_%"] / 100), args))


if __name__ == "__main__":
    main()
