"""The metadata of the Python package, as cmake writes it: what it needs, for which systems it is, how it starts."""
import configparser
import email
import importlib.util
import os
import pathlib
import platform
import re
import subprocess
import tempfile
import unittest

import bare

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEED_BUILD", ROOT / "build/release"))


def text(path):
    return path.read_text(encoding="utf-8")


def of_the_program(*arguments):
    """Its output. `heed doctor` has another exit status where sacrebleu is missing."""
    return subprocess.run([BUILD / "heed", *arguments], capture_output=True, text=True).stdout


class Metadata(unittest.TestCase):
    def setUp(self):
        self.folder = BUILD / "generated/wheel"
        self.metadata = email.message_from_string(text(self.folder / "METADATA"))

    def test_it_needs_the_libtorch_of_the_build_and_sacrebleu(self):
        series = re.search(r"^ok +LibTorch +(\d+\.\d+)\.", of_the_program("doctor"), flags=re.M).group(1)
        self.assertEqual(self.metadata.get_all("Requires-Dist"), [f"torch=={series}.*", "sacrebleu>=2.0"])
        self.assertEqual(self.metadata.get_all("Requires-Python"), [">=3.10"])
        # The message of a program that does not find it.
        self.assertIn(f"pip install 'torch=={series}.*'", text(self.folder / "__init__.py"))

    def test_it_is_of_this_version_and_for_this_processor(self):
        self.assertEqual(self.metadata["Name"], "heed")
        self.assertEqual(f"heed {self.metadata['Version']}\n", of_the_program("--version"))
        wheel = email.message_from_string(text(self.folder / "WHEEL"))
        self.assertEqual(wheel.get_all("Tag"), [f"py3-none-linux_{platform.machine()}"])
        self.assertEqual(wheel["Root-Is-Purelib"], "false")

    def test_it_starts_by_a_function_that_is_there(self):
        entries = configparser.ConfigParser()
        entries.read_string(text(self.folder / "entry_points.txt"))
        self.assertEqual(dict(entries["console_scripts"]), {"heed": "heed:main"})
        self.assertIn("\ndef main():\n", text(self.folder / "__init__.py"))

    def test_another_torch_is_refused_with_what_to_install(self):
        module = importlib.util.spec_from_file_location("heed_package", self.folder / "__init__.py")
        package = importlib.util.module_from_spec(module)
        module.loader.exec_module(package)
        (series,) = re.findall(r"torch==(\d+\.\d+)\.\*", self.metadata.get_all("Requires-Dist")[0])
        for version, fits in ((f"{series}.0", True), (f"{series}.7+cpu", True), ("2.1.0", False), (f"{series}0.0", False)):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / f"torch-{version}.dist-info").mkdir()
                if fits:
                    package.check_version(pathlib.Path(folder) / "torch")
                    continue
                with self.assertRaises(SystemExit) as ended:
                    package.check_version(pathlib.Path(folder) / "torch")
                self.assertEqual(ended.exception.code, f"heed: torch {version} is installed, and this package was built with {series}; "
                                                       f"pip install 'torch=={series}.*'")

    def test_the_documentation_has_the_versions_of_run(self):
        run, page = text(ROOT / "run"), text(ROOT / "docs/install.md")
        tried = re.search(r"^TRIED=\((.+)\)$", run, flags=re.M).group(1).split()
        of_cpu = dict(re.findall(r'^  \[(\S+)\]="(nvidia-cuda-runtime==.+)"$', run, flags=re.M))
        light = f"torch=={tried[0]} {of_cpu[tried[0]]}"
        self.assertEqual(light.split(), list(bare.TORCH))
        self.assertIn(f"heed-*.whl {light}\n", page)
        self.assertIn(f"`torch=={tried[0].rpartition('.')[0]}.*`", page)
        pythons = dict(re.findall(r'\[([\d.]+)\]="(\d+ \d+)"', run))
        for version in tried:
            first, last = pythons[version].split()
            self.assertRegex(page, rf"(?m)^\| {re.escape(version)}.* \| 3\.{first} to 3\.{last} \|")


if __name__ == "__main__":
    unittest.main()
