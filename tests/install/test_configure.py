"""What cmake says of a LibTorch that heed cannot be built with."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As heed's own, without a compiler, which takes seconds.
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES NONE)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
list(APPEND CMAKE_MODULE_PATH {modules})
{find}
message(STATUS "version ${{LibTorch_VERSION}} in ${{LIBTORCH_LIBRARY_DIR}}")
"""


class Configure(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="heed configure ")))
        self.libtorch = self.folder / "libtorch"
        for name in ("lib/libtorch_cpu.so", "lib/libc10.so", "include/torch/csrc/api/include/torch/torch.h"):
            (self.libtorch / name).parent.mkdir(parents=True, exist_ok=True)
            (self.libtorch / name).touch()
        (find,) = re.findall(r"^find_package\(LibTorch .*\)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), flags=re.M)
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(modules=ROOT / "cmake", find=find), encoding="utf-8")

    def configure(self, version, header="headeronly/version.h"):
        parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
        (self.libtorch / "include/torch/headeronly").mkdir(exist_ok=True)
        (self.libtorch / "include/torch" / header).write_text("".join(f"#define TORCH_VERSION_{name} {part}\n" for name, part in parts))
        done = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build", f"-DLIBTORCH={self.libtorch}"],
                              capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def test_one_that_is_too_old_is_refused(self):
        for header in ("csrc/api/include/torch/version.h", "headeronly/version.h"):
            status, said = self.configure("2.9.1", header)
            self.assertEqual(status, 1)
            self.assertIn('Found unsuitable version "2.9.1", but required is at least "2.11"', said)
            self.assertIn("docs/install.md says which versions heed was tried with", said)

    def test_newer_ones_are_taken(self):
        for version in ("2.11.0", "2.15.0", "3.0.0"):
            status, said = self.configure(version)
            self.assertEqual(status, 0, said)
            self.assertIn(f"version {version} in {self.libtorch}/lib", said)

    def test_one_that_does_not_say_its_version_is_refused(self):
        status, said = self.configure("2")
        self.assertEqual(status, 1, said)


if __name__ == "__main__":
    unittest.main()
