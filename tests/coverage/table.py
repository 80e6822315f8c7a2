#!/usr/bin/env python3
"""Which lines and branches of src/ the tests took, by room: ./run coverage.

Of a build with gcc's --coverage after its tests. A branch is one way of an `if`, a loop, `&&`, `||`, `?:` or `switch`.
The ways on which a call returns or throws are not counted: gcov has them for each call, and they say nothing of the code.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def decisions(branches):
    """The counts of the branches of one line that are not those of a call."""
    kept = []
    for branch in branches:
        if not branch["throw"]:
            kept.append(branch)
        elif kept and kept[-1]["fallthrough"]:
            kept.pop()  # where the call returns
    return [branch["count"] for branch in kept]


def lines_of(data):
    """What one object file counted: {(file, line, function): (count, counts of branches)}."""
    shown = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(data)], check=True,
                           capture_output=True, cwd=data.parent).stdout
    found = {}
    for file in json.loads(shown)["files"] if shown else []:
        path = pathlib.Path(file["file"])
        if ROOT / "src" in path.parents:
            for line in file["lines"]:
                key = str(path.relative_to(ROOT)), line["line_number"], line.get("function_name", "")
                found[key] = line["count"], decisions(line["branches"])
    return found


def sums(folder):
    """The same of all object files together, by file and line."""
    functions = {}
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lines_of, sorted(folder.glob("**/*.gcda")), chunksize=4):
            for key, (count, branches) in found.items():
                # Of a function in a header, each unit has a copy.
                key = *key, len(branches)
                known = functions.get(key, (0, [0] * len(branches)))
                functions[key] = known[0] + count, [a + b for a, b in zip(known[1], branches)]
    lines = collections.defaultdict(lambda: [0, {}])
    for (file, line, _, width), (count, branches) in functions.items():
        here = lines[file, line]
        here[0] += count
        # Of a template, each type has a copy: a branch is taken if one of them took it.
        here[1][width] = [a + b for a, b in zip(here[1].get(width, [0] * width), branches)]
    return {place: (count, max(widths.values(), key=len)) for place, (count, widths) in lines.items()}


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
    for (file, line), (count, branches) in sorted(sums(arguments.build).items()):
        room = room_of(file)
        if arguments.rooms and room not in arguments.rooms:
            continue
        rooms[room].append((count, branches))
        if arguments.missed and (not count or 0 in branches):
            ways = f"{branches.count(0)} of {len(branches)} ways" if count else "the line"
            print(f"{file}:{line}: {ways} not taken")
    if not rooms:
        parser.error(f"{arguments.build} has no counts of these rooms: its tests did not run")
    if not arguments.missed:
        print("| room | lines | run | branches | taken |\n| --- | --- | --- | --- | --- |")
        for room in sorted(rooms):
            print(row(room, rooms[room]))
        print(row("all", [line for room in rooms.values() for line in room]))


if __name__ == "__main__":
    main()
