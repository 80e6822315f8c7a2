"""training.py: the rows of its table, and a whole call with a fake heed-bench."""

import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

from training import table

HERE = pathlib.Path(__file__).resolve().parent
# Tokens a second by precision; the second call of fp32 is slower, as beside another program.
FAKE = """#!{python}
import csv, pathlib, sys
words = sys.argv[1:]
folder = pathlib.Path(words[words.index("-o") + 1])
precision = next(word.split("=")[1] for word in words if word.startswith("precision="))
calls = pathlib.Path(__file__).with_name("calls")
with open(calls, "a") as file:
    file.write(precision + " ")
speed = {{"fp32": 1000, "bf16": 2000, "auto": 1960}}[precision] * (0.5 if calls.read_text().count(precision) == 2 else 1)
with open(folder / "training.csv", "w") as file:
    csv.writer(file).writerows([["tokens_per_s", "resident_mib", "gemm_%"], [speed, 300, 80]])
"""


class Training(unittest.TestCase):
    def test_rows_are_medians_beside_the_reference_and_the_fastest_precision(self):
        measured = {"heed fp32": [(100, 10, 0.5), (300, 30, 0.7), (200, 20, 0.6)], "heed bf16": [(400, 40, 0.9)],
                    "reference fp32": [(80, 90, 0.4)], "mine": []}
        rows = [line.split() for line in table("none", measured).strip().splitlines()]
        self.assertEqual(rows[1:], [["heed", "fp32", "200", "2.50", "0.50", "20", "0.60", "100", "300"],
                                    ["heed", "bf16", "400", "5.00", "1.00", "40", "0.90", "400", "400"],
                                    ["reference", "fp32", "80", "1.00", "0.20", "90", "0.40", "80", "80"]])

    def test_a_missing_reference_leaves_the_ratios_among_precisions(self):
        rows = table("none", {"heed fp32": [(100, 10, 0.5)], "heed auto": [(98, 10, 0.5)]}).strip().splitlines()
        self.assertEqual([row.split()[3:5] for row in rows[1:]], [["nan", "1.00"], ["nan", "0.98"]])

    def test_a_call_interleaves_the_precisions(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = pathlib.Path(folder) / "heed-bench"
            bench.write_text(FAKE.format(python=sys.executable), encoding="utf-8")
            bench.chmod(bench.stat().st_mode | stat.S_IXUSR)
            result = subprocess.run([sys.executable, str(HERE / "training.py"), "--bench", str(bench), "--systems", "none", "--rounds", "3",
                                     "--precisions", "fp32,bf16,auto", "--references", ""], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((pathlib.Path(folder) / "calls").read_text(encoding="utf-8").split(), ["fp32", "bf16", "auto"] * 3)
        rows = [line.split() for line in result.stdout.strip().splitlines()[1:]]
        self.assertEqual([row[1:5] for row in rows], [["fp32", "1000", "nan", "0.50"], ["bf16", "2000", "nan", "1.00"],
                                                      ["auto", "1960", "nan", "0.98"]])


if __name__ == "__main__":
    unittest.main()
