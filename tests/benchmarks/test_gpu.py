"""What gpu.py makes of the output of heed, on samples; and a machine without a GPU."""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import gpu  # noqa: E402

DOCTOR = """\
ok   heed         0.1.0
ok   LibTorch     2.11.0
ok   CPU          16 cores, fp32 900 GFLOP/s
--   bf16         not in this processor; precision: auto means fp32 on the CPU
ok   GPU          cuda:0
ok   sacrebleu    /somewhere/sacrebleu
"""
RANKS = """\
ok   ranks        2, met in 0.31 s, on cuda:0
ok   exchange     a gradient of 32 MB is summed and shared in 2 ms
--   equality     the sum over ranks has other bits than a sum in one process
"""


def program(folder, text):
    path = pathlib.Path(folder) / "heed"
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class Table(unittest.TestCase):
    def test_doctor_is_read(self):
        found = gpu.doctor_lines(DOCTOR)
        self.assertEqual(found["GPU"], (True, "cuda:0"))
        self.assertFalse(found["bf16"][0])
        self.assertEqual(gpu.doctor_lines(RANKS)["equality"],
                         (False, "the sum over ranks has other bits than a sum in one process"))

    def test_one_row_is_one_line(self):
        text = gpu.table([gpu.Row("a", "b|c", "d\ne", "heed doctor"), gpu.Row("f", "g", "h", "")])
        self.assertEqual(text.splitlines(), [
            "| what | setting | result | command |", "| --- | --- | --- | --- |",
            "| a | b\\|c | d e | `heed doctor` |", "| f | g | h |  |"])

    def test_large_batches_tell_what_is_bound_by_launches(self):
        speeds = {("none", "bf16", 4096): 1000.0, ("none", "bf16", 32768): 7000.0,
                  ("transformer", "bf16", 4096): 1000.0, ("transformer", "bf16", 32768): 1500.0,
                  ("bahdanau", "bf16", 4096): 1000.0}
        none, transformer = gpu.launch_bound(speeds)
        self.assertIn("7.0 x as fast as of 4096: launches", none.cells[2])
        self.assertIn("1.5 x as fast as of 4096: the GPU", transformer.cells[2])

    def test_ranks_are_compared_with_the_fewest(self):
        one, two, four = gpu.compared({1: 1000.0, 2: 1900.0, 4: 3000.0}, {1: "aa", 2: "aa", 4: "bb"})
        self.assertIn("100 % of 1 rank", one.cells[2])
        self.assertIn("95 % of 1 rank times 2; weights aa: the same", two.cells[2])
        self.assertIn("75 % of 1 rank times 4; weights bb: OTHER than with 1", four.cells[2])
        self.assertEqual([one.good, two.good, four.good], [True, True, False])

    def test_commands_are_shown_without_what_all_have(self):
        words = ["train", "a.yaml", *gpu.settings_of("demo"), *gpu.settings(gpu.SHORT), "--set", "x=a b", "--overwrite"]
        self.assertEqual(gpu.shown_command(words, gpu.settings_of("demo")), "heed train a.yaml --set 'x=a b' --overwrite")
        self.assertEqual(gpu.shown_command(["doctor"], []), "heed doctor")

    def test_gpus_are_counted_as_a_process_sees_them(self):
        listed = "GPU 0: NVIDIA H100 (UUID: GPU-1)\nGPU 1: NVIDIA H100 (UUID: GPU-2)\n"
        self.assertEqual(gpu.gpus_of(listed, None), 2)
        self.assertEqual(gpu.gpus_of(listed, "1"), 1)
        self.assertEqual(gpu.gpus_of(listed, ""), 0)
        self.assertEqual(gpu.gpus_of("", None), 0)


class Script(unittest.TestCase):
    def run_with(self, heed, *options, **variables):
        return subprocess.run([sys.executable, gpu.__file__, "--heed", heed, *options], capture_output=True, text=True,
                              check=False, env={**os.environ, **variables})

    def test_no_gpu_is_said_with_exit_code_1(self):
        with tempfile.TemporaryDirectory() as folder:
            heed = program(folder, "echo '--   GPU          none found; device: auto means cpu'\n")
            done = self.run_with(heed)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no GPU to measure: heed doctor says: none found", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_no_program_is_said_with_exit_code_1(self):
        done = self.run_with("/nowhere/heed")
        self.assertEqual(done.returncode, 1)
        self.assertIn("./run gpu builds it", done.stderr)

    def test_a_command_that_fails_is_a_row(self):
        with tempfile.TemporaryDirectory() as folder:
            heed = program(folder, f"[ \"$2\" ] && {{ echo 'heed: NCCL fell over' >&2; exit 1; }}\ncat <<'END'\n{DOCTOR}END\n")
            for corpus in gpu.CORPORA:
                if not gpu.has_corpus(corpus):
                    continue
                done = self.run_with(heed, "--only", "doctor", "--gpus", "2", "--output", folder, "--corpus", corpus)
                self.assertEqual(done.returncode, 1)
                self.assertIn("- host: 16 cores, fp32 900 GFLOP/s", done.stdout)
                self.assertIn("| doctor | 2 ranks | FAILED: exit code 1: heed: NCCL fell over | `heed doctor --ranks 2` |",
                              done.stdout)


if __name__ == "__main__":
    unittest.main()
