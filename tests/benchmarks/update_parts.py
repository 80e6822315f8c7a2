#!/usr/bin/env python3
"""Where the processor time of an update goes, part by part, with one thread.

  python3 tests/benchmarks/update_parts.py [--systems transformer,none] [--updates 10] [--bench FILE]

`perf` watches `heed-bench train` twice, for few updates and for more of them: the difference is that of updates alone, without the
start, the vocabulary and the square product. Milliseconds of processor time of one update, so that other programs change little.
"""
import argparse, collections, os, re, subprocess, sys, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("config", nargs="?", default="tests/benchmarks/training.yaml")
parser.add_argument("--bench", default="build/release/heed-bench")
parser.add_argument("--systems", default="transformer,luong_general,bahdanau,none")
parser.add_argument("--precision", default="fp32")
parser.add_argument("--updates", type=int, default=10, help="how many more updates the longer run has")
parser.add_argument("--symbols", type=int, default=0, help="also show so many functions of each system")
args = parser.parse_args()

FEW = 5  # heed-bench also watches so many updates after its clock, in both runs
FREQUENCY = 999
GROUPS = [  # the first whose patterns are in library and function
    ("oneDNN's products", r"\[JIT\]|\[unknown\]|//anon", ""),
    ("MKL's products", r"libtorch_cpu|libmkl", r"mkl_blas"),
    ("heed's transposes", r"heed|bench", r"transpose"),
    ("heed's other loops", r"heed|bench", r"kernels::(Versions|\(anonymous namespace\)::[a-z_]+_rows?|HeadWork)"),
    ("heed's other code", r"heed|bench", ""),
    ("LibTorch's loops", r"libtorch_cpu", r"callback_fn|AVX|vec::|_kernel|mkl_vml|cpublas|std::copy"),
    ("LibTorch's other code", r"libtorch|libc10|libgomp", ""),
    ("SentencePiece", r"libsentencepiece", ""),
    ("C library", r"libc\.so|libm\.so|libstdc\+\+|ld-linux|vdso", ""),
    ("kernel of the system", r"\[kernel|\[guest", ""),
]


def group_of(library, function):
    for name, libraries, functions in GROUPS:
        if re.search(libraries, library) and re.search(functions, function):
            return name
    return "other"


def samples(system, updates):
    """Counter of (library, function)."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "perf.data")
        command = [args.bench, "train", args.config, "--systems", system, "--threads", "1", "--updates", str(updates),
                   "--warmup", "1", "--set", "precision=" + args.precision]
        run = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:uk", "-F", str(FREQUENCY), "-o", data, *command],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            sys.exit(run.stdout)
        report = subprocess.run(["perf", "report", "-i", data, "--stdio", "-t", "\t", "--sort", "dso,sym", "-n"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    counts = collections.Counter()
    for line in report.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.startswith("#") and len(cells) >= 4 and cells[1].isdigit():
            library = "[JIT]" if cells[2].startswith("[JIT]") else cells[2]
            counts[library, "[JIT]" if library == "[JIT]" else cells[3]] += int(cells[1])
    return counts


for system in args.systems.split(","):
    few, more = samples(system, FEW), samples(system, FEW + args.updates)
    more.subtract(few)
    one = 1000 / FREQUENCY / args.updates  # milliseconds of one update that a sample stands for
    whole = sum(more.values())
    groups = collections.Counter()
    for (library, function), count in more.items():
        groups[group_of(library, function)] += count
    print(f"\n| {system}, {args.precision}, one thread | ms of an update | % |\n| --- | --- | --- |")
    for name, count in groups.most_common():
        print(f"| {name} | {count * one:.0f} | {100 * count / whole:.1f} |")
    print(f"| all | {whole * one:.0f} | 100 |")
    for (library, function), count in more.most_common(args.symbols):
        print(f"{100 * count / whole:6.1f} %  {group_of(library, function):22} {library:18} {function[:160]}")
    sys.stdout.flush()
