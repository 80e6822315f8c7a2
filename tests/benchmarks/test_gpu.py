"""The parts of gpu.py with a program that only plays heed (fake_heed.py), and gpu.py on a machine without a GPU."""
import contextlib
import io
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import fake_heed
import gpu
import gpu_models
import gpu_parts
import gpu_program
import gpu_steps
import sitting

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = str(pathlib.Path(fake_heed.__file__).resolve())


def program(folder, text):
    path = pathlib.Path(folder) / "heed"
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class Parts(unittest.TestCase):
    """All that a GPU would be asked, in a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("multi30k/test2016", "multi30k/valid", "multi30k/test2017", "multi30k/test2017_mscoco", "iwslt14/train"):
            fake_heed.write(self.folder / f"data/{name}.de", "eins\nzwei\n")

    def sit(self, *names, device="cuda", gpus=1, **environment):
        self.at = gpu_steps.Setting(device=device, folder=self.folder / "out", data=self.folder / "data/multi30k",
                                    config="gpu.yaml", gpus=gpus, small=device == "cpu",
                                    doctor=gpu_steps.doctor_lines(fake_heed.DOCTOR))
        self.at.folder.mkdir(exist_ok=True)
        parts = gpu.chosen(gpu_parts.parts_of(self.at), ",".join(names) or None)

        def start(command):
            return [sys.executable, FAKE, *map(str, command)], {**os.environ, **environment}

        one = sitting.Sitting(self.at.folder / "report.md", 600, "# head\n\n", start, gpu.shown, self.folder)
        with contextlib.redirect_stderr(io.StringIO()):
            one.run(parts)
        self.assertNotIn("not understood", one.report())
        return one

    def row(self, one, setting):
        found = [row for row in one.rows if row.setting == setting]
        self.assertEqual(len(found), 1, f"{setting}: {[row.setting for row in one.rows]}")
        return found[0]

    def test_parts_come_in_order_of_value_and_longer_ones_are_for_later(self):
        self.sit("doctor")
        names = [part.name for part in gpu_parts.parts_of(self.at)]
        self.assertEqual(names[:4], ["doctor", "training", "minute", "translating"])
        self.assertEqual([part.name for part in gpu.chosen(gpu_parts.parts_of(self.at), None)], names[:-2])
        self.assertEqual([part.name for part in gpu.chosen(gpu_parts.parts_of(self.at), "figure2,best")], ["best", "figure2"])

    def test_operators_that_fail_are_named_and_losses_are_held_to_the_cpu(self):
        one = self.sit("doctor")
        self.assertEqual(self.row(one, "every fast path against fp64").result, "FAILED: 1 operators failed: loss.smoothed bf16")
        self.assertEqual([row.setting for row in one.rows if row.what == "loss"],
                         ["cpu, fp32", "cuda, fp32", "cuda, bf16", "cuda, tf32", "cuda, fp16"])
        self.assertEqual(self.row(one, "cuda, fp32").goal, "4.0000 +- 0.01: met")
        self.assertIn("GPU cuda:0; sacrebleu", one.rows[0].result)
        self.assertFalse(one.good)

    def test_training_is_beside_the_plain_loop_and_beside_its_goals(self):
        one = self.sit("training", "compiled")
        self.assertTrue(one.good)
        self.assertEqual(self.row(one, "W1, bf16, batches of 32,768").goal, ">= 1,000,000: met")
        self.assertEqual(self.row(one, "W1: small / large batches").goal, ">= 0.85: met")
        self.assertEqual(self.row(one, "W1: heed / PyTorch, batches of 4,096").result, "1.80 x")
        # The loop counts as the faster of its two ways.
        both = [row.result for row in one.rows if row.setting == "W1: heed / PyTorch, batches of 32,768"]
        self.assertEqual(both, ["2.00 x", "1.67 x"])
        self.assertEqual(self.row(one, "PyTorch, compiled: big, bf16, batches of 32,768").result, "600,000 tokens/s, 1,234 MiB")

    def test_the_loop_has_the_shapes_of_heed(self):
        commands = [row.command for row in self.sit("training").rows if "reference.py" in row.command]
        shapes = [re.search(r"--model (\w+) --shape (\w+) --batch-tokens (\S+)", command).groups() for command in commands]
        self.assertEqual(shapes[::2], [("transformer", "small", "32768,4096"), ("transformer", "big", "32768,4096"),
                                       ("transformer", "base", "32768,4096"), ("luong_general", "small", "32768,4096"),
                                       ("bahdanau", "small", "32768,4096"), ("none", "small", "32768,4096")])

    def test_warm_ups_are_as_long_as_a_gpu_loads_kernels(self):
        def counts(command):
            return tuple(int(re.search(rf"--{name} (\d+)", command).group(1)) for name in ("updates", "warmup"))

        commands = {row.command for row in self.sit("training").rows if row.command}
        found = {(command.split()[0] == "heed-bench", re.search(r"--(?:systems|shape) (\w+)", command).group(1)): counts(command)
                 for command in commands}
        large = {(True, name): (20, 40) for name in ("W1", "base", "luong_general", "bahdanau", "none")}
        small = {(True, f"{name}_small_batches"): (100, 200)
                 for name in ("W1", "base", "big", "luong_general", "bahdanau", "none")}
        self.assertEqual(found, large | small | {
            (True, "big"): (10, 30), (False, "small"): (20, 30), (False, "base"): (8, 12), (False, "big"): (8, 12)})

    def test_a_goal_that_is_missed_is_no_failure(self):
        self.assertEqual(gpu_steps.goal(110_000, 220_000), ">= 220,000: 0.50 of it")
        one = self.sit("minute")
        self.assertRegex(self.row(one, "multi30k_minute, 0 s").goal, r"^>= 41: met; at most 60 s: met$")
        with mock.patch.object(gpu_models, "MINUTE", 50):
            one = self.sit("minute")
        self.assertTrue(one.good)
        self.assertIn(">= 50: 0.83 of it", one.rows[0].goal)

    def test_where_the_time_goes(self):
        one = self.sit("training,time")
        self.assertTrue(one.good)
        self.assertEqual(self.row(one, "W1 without graphs, batches of 4,096").result, "300,000 tokens/s, 0.33 x with them")
        self.assertEqual(self.row(one, "big, an update: operations").result, "aten::mm (calls 52, seconds 0.0100, % 60.0)")
        kernels = [row for row in one.rows if row.setting.endswith(", an update: kernels")]
        self.assertEqual([row.setting.split(",")[0] for row in kernels], [
            "W1", "W1_small_batches", "luong_general", "luong_general_small_batches", "bahdanau", "bahdanau_small_batches", "big"])
        self.assertEqual({row.result for row in kernels},
                         {"610.0 launches, 31.500 ms; none runs for 3.500 ms (10.0 %): gemm (90.0 x, 20.000 ms)"})

    def test_the_same_bits_are_met_or_missed(self):
        one = self.sit("training", "bits")
        self.assertEqual(self.row(one, "two runs").goal, "the same: met")
        self.assertEqual(self.row(one, "one run, and one that was resumed").goal, "the same: met")
        self.assertEqual(self.row(one, "W1, deterministic").result, "950,000 tokens/s, 0.95 of the speed without")
        self.assertTrue(one.good)
        one = self.sit("bits", ODD="no-bits")
        self.assertEqual(self.row(one, "two runs").goal, "the same: MISSED")
        self.assertFalse(one.good)

    def test_a_resumed_run_that_failed_is_not_compared(self):
        settings = [row.setting for row in self.sit("bits", FAIL="--resume").rows]
        self.assertIn("the second half", settings)
        self.assertNotIn("one run, and one that was resumed", settings)

    def test_translating_uses_the_model_of_a_minute_or_makes_one(self):
        one = self.sit("minute", "translating")
        self.assertEqual(self.row(one, "minute, beam 5, 2,048 sentences at a time").goal, ">= 20,000: met")
        self.assertEqual(self.row(one, "minute, beam 5, as many sentences at a time as fit").goal, "")
        self.assertEqual(self.row(one, "minute, beam 1, 2,048 sentences at a time").goal, "")
        kernels = [self.row(one, f"minute, batch {batch}, beam 5, 2,048 lines: kernels") for batch in (32, 512, 2048)]
        self.assertTrue(all("--profile" in row.command and row.result.startswith("610.0 launches") for row in kernels))
        self.assertEqual(self.row(one, "fp32 on cuda and on a CPU").result, "2 of 2 lines are the same")
        self.assertEqual((self.at.folder / "lines.de").read_text(), "eins\nzwei\n" * 4)
        trained = list(self.at.folder.glob("logs/*a_model_for_it.err"))
        self.assertEqual(len(trained), 1)  # luong_general's alone

    def test_a_second_sitting_translates_anew(self):
        for _ in range(2):
            one = self.sit("translating")
            self.assertTrue(one.good)
            self.assertEqual(self.row(one, "fp32 on cuda and on a CPU").goal, ">= 99%: met")

    def test_several_gpus_are_tried_where_there_are_several(self):
        self.assertEqual([row.result for row in self.sit("ranks").rows], ["left out: there is one GPU"])
        one = self.sit("ranks", gpus=3)
        self.assertEqual(self.row(one, "3 of 3 GPUs").goal, "the same weights: met")
        self.assertIn("33% of 1 rank times 3", self.row(one, "3 of 3 GPUs").result)
        self.assertEqual(gpu_models.rank_counts(8), [1, 2, 4, 8])

    def test_longer_parts_say_what_was_done_in_time(self):
        one = self.sit("talks", "figure2")
        self.assertEqual([(row.what, row.setting) for row in one.rows], [("talks", "none_30"), ("figure2", "none_30")])
        self.assertIn("BLEU 41.50 after 30 updates", one.rows[0].result)

    def test_longer_parts_that_fail_do_not_show_an_earlier_sitting(self):
        self.sit("talks")
        os.utime(self.at.folder / "talks/none_30/summary.json", (0, 0))
        self.assertEqual([row.result for row in self.sit("talks", FAIL="bottleneck").rows],
                         ["FAILED: exit code 1: the driver fell over"])

    def test_a_driver_that_falls_over_fails_each_row_and_the_sitting_goes_on(self):
        one = self.sit(FAIL="device=cuda")
        failed = [row for row in one.rows if not row.good]
        self.assertGreater(len(failed), 10)
        self.assertEqual({row.result for row in failed if row.what != "operators"},
                         {"FAILED: exit code 1: the driver fell over"})
        self.assertIn("PyTorch: none, bf16, batches of 4,096", [row.setting for row in one.rows])

    def test_the_rehearsal_has_every_command_in_small(self):
        def commands(device):
            at = gpu_steps.Setting(device, self.folder, self.folder / "data/multi30k", "gpu.yaml", gpus=4, small=device == "cpu")
            return [gpu.shown(step.command) for part in gpu_parts.parts_of(at) for step in part.steps() if step.command]

        def kind(command):
            return re.sub(r" --(set|updates|warmup|batch|batch-tokens|shape|lines) \S+", "", command).replace("cuda", "cpu")

        large, small = commands("cuda"), commands("cpu")
        self.assertEqual({kind(command) for command in large} - {kind(command) for command in small},
                         {kind(command) for command in large if "--compile" in command and "W1" not in command} -
                         {kind(command) for command in small})
        for command in small:
            self.assertNotIn("cuda", command)
            if "configs/" in command:
                self.assertIn("model.width=32", command)


class Files(unittest.TestCase):
    def test_both_configurations_have_the_systems_of_the_parts(self):
        names = [name for shape in gpu_parts.SPEED for name in (shape, f"{shape}_small_batches")]
        for file in ("gpu.yaml", "gpu_small.yaml"):
            text = (ROOT / "tests/benchmarks" / file).read_text(encoding="utf-8")
            self.assertEqual(re.findall(r"- (?:\{)?name: (\w+)", text), names, file)
            updates = gpu_steps.Setting("", ROOT, ROOT, file, small="small" in file).updates
            self.assertEqual(re.findall(r"(updates|validate_every|save_every): (\d+)", text),
                             [(key, str(updates)) for key in ("updates", "validate_every", "save_every")])

    def test_the_page_has_the_goals(self):
        page = (ROOT / "docs/gpu.md").read_text(encoding="utf-8")
        for number in (*filter(None, gpu_parts.SPEED.values()), gpu_models.SENTENCES):
            self.assertIn(f"{number:,}", page)
        for words in (f"{gpu_parts.RATIO} times", f"{gpu_parts.SMALL_BATCHES} of", f"{gpu_models.MINUTE} after 60",
                      f"{gpu_models.BEST} after 180", f"{gpu_parts.KEPT} of the speed"):
            self.assertIn(words, page)
        at = gpu_steps.Setting("cuda", ROOT, ROOT, "gpu.yaml")
        for part in gpu_parts.parts_of(at):
            if not part.later:
                self.assertIn(f"\n| `{part.name}` | {part.seconds} | ", page)


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()

    def test_a_program_its_build_and_a_bundle_are_found(self):
        build, bundle = self.folder / "build", self.folder / "bundle"
        for place in (build, bundle / "bin", bundle / "lib"):
            place.mkdir(parents=True)
        program(build, ""), program(bundle / "bin", ""), program(bundle, "")
        for place in (build, build / "heed"):
            found = gpu_program.Programs(place)
            self.assertEqual(found.heed, build / "heed")
            self.assertEqual(found.environment.get("LD_LIBRARY_PATH"), os.environ.get("LD_LIBRARY_PATH"))
        (self.folder / "python").write_text("#!/bin/sh\necho /there/torch/lib; echo 2.11.3\n")
        (self.folder / "python").chmod(0o755)
        found = gpu_program.Programs(bundle, self.folder / "python")
        words, environment = found.start(["heed-bench", "train", 3])
        self.assertEqual(words, [str(bundle / "bin/heed-bench"), "train", "3"])
        self.assertEqual(environment["LD_LIBRARY_PATH"], f"{bundle}/lib:/there/torch/lib")
        words, environment = found.start(["reference", "--compile"])
        self.assertEqual([words[0], words[1][-12:], words[2]], [str(self.folder / "python"), "reference.py", "--compile"])
        self.assertIsNone(environment)  # torch finds its own
        (bundle / "TORCH").write_text("2.11\n")
        gpu_program.Programs(bundle, self.folder / "python")
        (bundle / "TORCH").write_text("2.1\n")
        with self.assertRaisesRegex(FileNotFoundError, r"/python has torch 2\.11\.3, and the program needs 2\.1; --python names another"):
            gpu_program.Programs(bundle, self.folder / "python")

    def test_sacrebleu_may_be_a_module_of_the_python(self):
        (self.folder / "python").write_text("#!/bin/sh\nexit 0\n")
        (self.folder / "python").chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            found = gpu_program.Programs(program(self.folder, ""), self.folder / "python")
            found.find_sacrebleu(self.folder)
        script = pathlib.Path(found.environment["HEED_SACREBLEU"])
        self.assertIn(f'"{self.folder}/python" -m sacrebleu "$@"', script.read_text())


class Script(unittest.TestCase):
    def run_with(self, heed, *options, **variables):
        return subprocess.run([sys.executable, gpu.__file__, "--heed", heed, *options], capture_output=True, text=True,
                              check=False, env={**os.environ, **variables})

    def test_doctor_is_read(self):
        found = gpu_steps.doctor_lines("--   bf16         not in this processor; precision: auto\n" + fake_heed.DOCTOR)
        self.assertEqual(found["GPU"], (True, "cuda:0"))
        self.assertEqual(found["bf16"], (False, "not in this processor; precision: auto"))

    def test_gpus_are_counted_as_a_process_sees_them(self):
        listed = "GPU 0: NVIDIA H100 (UUID: GPU-1)\nGPU 1: NVIDIA H100 (UUID: GPU-2)\n"
        self.assertEqual(gpu.gpus_of(listed, None), 2)
        self.assertEqual(gpu.gpus_of(listed, "1"), 1)
        self.assertEqual(gpu.gpus_of(listed, ""), 0)
        self.assertEqual(gpu.gpus_of("", None), 0)

    def test_no_gpu_is_said_with_exit_code_1(self):
        with tempfile.TemporaryDirectory() as folder:
            heed = program(folder, "echo '--   GPU          none found; device: auto means cpu'\n")
            done = self.run_with(heed, "--output", folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no GPU to measure: heed doctor says: none found", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_no_program_and_no_such_part_are_said_with_exit_code_1(self):
        done = self.run_with("/nowhere/heed")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no program heed in /nowhere/heed; ./run gpu builds it", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_with(program(folder, ""), "--only", "doctor,bit")
        self.assertEqual(done.returncode, 1)
        self.assertIn("gpu.py: --only: there is no bit; there are doctor, training", done.stderr)


if __name__ == "__main__":
    unittest.main()
