#!/usr/bin/env python3
"""What changed between two tables of heed-bench: each number of the second file divided by that of the first.

    python3 tests/benchmarks/compare.py old/translate.csv new/translate.csv
"""

import csv
import sys

# Columns that say what was measured: all before the first that holds a measurement. A table with a new kind of setting
# needs its name here.
SETTINGS = {"system", "weights", "batch", "beam", "threads", "attention", "kv_heads", "length", "width", "position",
            "scale", "pairs", "operation", "kernel", "row", "where", "cores", "ranks", "parts"}


class Mistake(Exception):
    """A mistake of whoever named the files."""


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise Mistake(f"{path}: no table of results; give a CSV of heed-bench")
    return rows[0], rows[1:]


def keys_of(columns):
    """The number of columns that say what was measured."""
    return max(1, next((i for i, name in enumerate(columns) if name not in SETTINGS), len(columns)))


def by_key(path, rows, keys):
    """The rows by what was measured, which must differ: to which of two the other table's row belongs is not known."""
    found = {}
    for row in rows:
        key = tuple(row[:keys])
        if key in found:
            raise Mistake(f"{path}: two rows are '{' '.join(key)}'; remove one, or measure each setting once")
        found[key] = row[keys:]
    return found


def ratio(old, new):
    try:
        return f"{float(new) / float(old):.3f}"
    except (ValueError, ZeroDivisionError):
        return ""


def compare(before, after):
    """(rows of the table of ratios, warnings)."""
    columns, old_rows = read(before)
    other_columns, new_rows = read(after)
    if other_columns != columns:
        raise Mistake(f"{after}: other columns than {before}; compare two results of the same command")
    keys = keys_of(columns)
    old, new = by_key(before, old_rows, keys), by_key(after, new_rows, keys)
    ratios = [[*key, *map(ratio, old[key], numbers)] for key, numbers in new.items() if key in old]
    if not ratios:
        raise Mistake(f"{after}: no row was measured in {before} with the same settings")
    alone = [f"{' '.join(key)}: only in {after}" for key in new if key not in old]
    return [columns, *ratios], alone + [f"{' '.join(key)}: only in {before}" for key in old if key not in new]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        rows, warnings = compare(*sys.argv[1:])
    except (Mistake, OSError) as error:
        sys.exit(f"compare.py: {error}")
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    keys = keys_of(rows[0])
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) if i < keys else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))).rstrip())


if __name__ == "__main__":
    main()
