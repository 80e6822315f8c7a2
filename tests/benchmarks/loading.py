#!/usr/bin/env python3
"""What a large corpus takes: pairs/s read and cut into pieces, disk, memory, and whether training waits for it.

    python3 tests/benchmarks/loading.py CONFIG --system transformer --pairs 10000000

Runs `heed-bench train CONFIG` with the corpus as it is, and repeated until it has so many pairs. The second run's time
beyond that of the first is the time of reading the pairs beyond the corpus itself. The ids of a large corpus are in a
file without a name, which is seen below /proc while the program runs.
"""

import argparse
import os
import pathlib
import subprocess
import time


def bytes_without_name(process):
    """The bytes of files that the process has open and that no folder has any more."""
    total = 0
    for link in pathlib.Path(f"/proc/{process}/fd").glob("*"):
        try:
            if os.readlink(link).endswith(" (deleted)"):
                total += link.stat().st_size
        except OSError:  # closed meanwhile
            pass
    return total


def measure(args, pairs):
    """(seconds, most bytes without a name, row of heed-bench train)."""
    command = [args.bench, "--quiet", "train", args.config, "--systems", args.system, "--pairs", str(pairs),
               "--warmup", "1", "--updates", str(args.updates)]
    command += [word for setting in args.set for word in ("--set", setting)]
    start, disk = time.monotonic(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            disk = max(disk, bytes_without_name(process.pid))
            time.sleep(0.05)
        lines = process.stdout.read().splitlines()
    if process.returncode:
        raise SystemExit(f"heed-bench ended with status {process.returncode}")
    return time.monotonic() - start, disk, dict(zip(lines[0].split(), lines[1].split()))


def rates(once, repeated, lines, pairs):
    """The speeds of two measurements, of a corpus of so many lines and of `pairs`: repeated whole, until it has them."""
    held = -(-pairs // lines) * lines
    seconds = repeated[0] - once[0]
    return {"pairs": held, "pairs_per_s": round((held - lines) / seconds) if seconds > 0 else None,
            "disk_mib": round(repeated[1] / 2**20), "memory_mib": int(float(repeated[2]["resident_mib"])),
            "waiting_%": float(repeated[2]["waiting_%"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config")
    parser.add_argument("--bench", default="build/release/heed-bench")
    parser.add_argument("--system", required=True)
    parser.add_argument("--lines", type=int, required=True, help="of the corpora of data.train together")
    parser.add_argument("--pairs", type=int, required=True)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--set", action="append", default=[], help="change one key of the file")
    args = parser.parse_args()
    found = rates(measure(args, 1), measure(args, args.pairs), args.lines, args.pairs)
    for name, number in found.items():
        print(f"{name:12} {number}")


if __name__ == "__main__":
    main()
