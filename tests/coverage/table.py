#!/usr/bin/env python3
"""Which lines and branches of src/ the tests took, by room: ./run coverage.

Of a build with gcc's --coverage after its tests. A branch is one way of an `if`, a loop, `&&`, `||`, `?:` or `switch`.
gcov tells of more, which the compiler makes: where a call returns or throws, and what is cleaned up then.
"""
import argparse
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def of_no_call(branches):
    """The counts of the branches of one line that are not those of a call."""
    kept = []
    for branch in branches:
        if not branch["throw"]:
            kept.append(branch)
        elif kept and kept[-1]["fallthrough"]:
            kept.pop()  # where the call returns
    return [branch["count"] for branch in kept]


@functools.lru_cache(maxsize=None)
def ends_of_blocks(path):
    """Lines of brackets alone, which gcov counts for what is cleaned up there after an exception."""
    lines = path.read_text().splitlines()
    return {number for number, line in enumerate(lines, start=1) if not line.strip(" })];,")}


def lines_of(data):
    """The counts of one object file: {(file, line, function): (count, counts of branches)}."""
    shown = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(data)], check=True,
                           capture_output=True).stdout
    found = {}
    for file in json.loads(shown)["files"] if shown else []:
        path = pathlib.Path(file["file"])
        if ROOT / "src" in path.parents:
            ends = ends_of_blocks(path)
            for line in file["lines"]:
                if line["line_number"] in ends:
                    continue
                key = str(path.relative_to(ROOT)), line["line_number"], line.get("function_name", "")
                found[key] = line["count"], of_no_call(line["branches"])
    return found


def sums(folder):
    """The same of all object files together, by file and line."""
    functions = {}
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lines_of, sorted(folder.glob("**/*.gcda")), chunksize=4):
            for key, (count, branches) in found.items():
                # Each unit has a copy of a function in a header.
                key = *key, len(branches)
                known = functions.get(key, (0, [0] * len(branches)))
                functions[key] = known[0] + count, [a + b for a, b in zip(known[1], branches)]
    lines = collections.defaultdict(lambda: [0, {}])
    for (file, line, _, width), (count, branches) in functions.items():
        here = lines[file, line]
        here[0] += count
        # A template has a copy for each type: a branch is taken if one of them took it.
        here[1][width] = [a + b for a, b in zip(here[1].get(width, [0] * width), branches)]
    return {place: (count, max(widths.values(), key=len)) for place, (count, widths) in lines.items()}


@functools.lru_cache(maxsize=None)
def decisions(file):
    """The number of decisions in each line of a file, as its text says."""
    code = [re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line) for line in (ROOT / file).read_text().splitlines()]
    found = [len(re.findall(r"\b(?:if|for|while|switch|case)\b|&&|\|\||\?", line)) for line in code]
    goes_on = [False] + [line.rstrip().endswith(("&&", "||")) for line in code]
    return [0] + [count + after for count, after in zip(found, goes_on)]


def ways(file, line, count, branches):
    """The counts of the ways of a line's decisions. One that was never reached is told by the way that leads to it."""
    known = decisions(file)[line]
    if not known or not count:
        return [0] * min(len(branches), 2 * known)
    pairs = zip(branches[::2], branches[1::2])
    return [each for pair in pairs if any(pair) for each in pair]


def room_of(file):
    """The folder of src/, with kernels/rows alone, which knows nothing of LibTorch."""
    parts = file.split("/")
    return "kernels/rows" if parts[1:3] == ["kernels", "rows"] else parts[1]


def row(name, lines):
    branches = [count for _, counts in lines for count in counts]
    covered, taken = sum(1 for count, _ in lines if count), sum(1 for count in branches if count)
    share = 100 * taken / len(branches) if branches else 100
    return (f"| {name} | {len(lines):,} | {100 * covered / len(lines):.1f} % | {len(branches):,} | {share:.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder of the build")
    parser.add_argument("rooms", nargs="*", help="only these rooms of src/")
    parser.add_argument("--missed", action="store_true", help="list the lines with a branch that no test took")
    arguments = parser.parse_args()
    rooms = collections.defaultdict(list)
    for (file, line), (count, branches) in sorted(sums(arguments.build.resolve()).items()):
        room = room_of(file)
        if arguments.rooms and room not in arguments.rooms:
            continue
        branches = ways(file, line, count, branches)
        rooms[room].append((count, branches))
        if arguments.missed and (not count or 0 in branches):
            missed = f"{branches.count(0)} of {len(branches)} ways" if count else "the line"
            print(f"{file}:{line}: {missed} not taken")
    if not rooms:
        parser.error(f"{arguments.build} has no counts of these rooms: its tests did not run")
    if not arguments.missed:
        print("| room | lines | run | branches | taken |\n| --- | --- | --- | --- | --- |")
        for room in sorted(rooms):
            print(row(room, rooms[room]))
        print(row("all", [line for room in rooms.values() for line in room]))


if __name__ == "__main__":
    main()
