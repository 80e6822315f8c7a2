"""heed-translate, the one static program of ./run small."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/page"))
import toy  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("HEED_SMALL", ROOT / "build/small/heed-translate"))
EMULATOR = os.environ.get("HEED_EMULATOR", "").split()  # of another processor, for which PROGRAM is
RUN = [*EMULATOR, str(PROGRAM)]


@contextlib.contextmanager
def served(*command):
    """The address at which it answers."""
    with subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
            server.communicate(timeout=30)


def answer(url, path, question=None):
    data = None if question is None else json.dumps(question).encode()
    with urllib.request.urlopen(url + path, data, timeout=30) as response:
        return response.read().decode()


class Small(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            print("NO-SMALL: heed-translate was not tried; ./run small", flush=True)  # ctest looks for this word
            raise unittest.SkipTest("no heed-translate")
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        toy.train(cls.folder)

    def test_is_one_file_of_at_most_six_megabytes(self):
        self.assertLessEqual(PROGRAM.stat().st_size, 6_000_000)
        needed = subprocess.run(["readelf", "-d", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("NEEDED", needed)

    def test_translates_as_heed_does(self):
        text = self.folder / "text"
        text.write_text("a b c\n\nder Hund .\n" + "b a " * 40 + "\n", encoding="utf-8")
        for numbers in ("fp32", "bf16", "int8"):
            arguments = ["translate", str(self.folder / "model"), str(text), "--set", f"decoding.weights={numbers}", "--scores", "--n-best", "2",
                         "--alignment", "--replace-unknown"]
            ours = subprocess.run([*RUN, *arguments], capture_output=True, text=True, check=True)
            theirs = toy.heed(*arguments, folder=self.folder)
            if EMULATOR:  # sums of floats are added up in another order
                numbers = re.compile(r"-?\d+\.\d+")
                for one, other in zip(*(map(float, numbers.findall(text)) for text in (ours.stdout, theirs)), strict=True):
                    self.assertAlmostEqual(one, other, delta=0.01)
                self.assertEqual(*(numbers.sub("", text) for text in (ours.stdout, theirs)))
            else:
                self.assertEqual(ours.stdout, theirs)

    def test_says_what_it_cannot_do(self):
        run = subprocess.run([*RUN, "translate", self.folder / "model", "--device", "cuda"], input="a\n", capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "^heed: heed-translate translates and serves on a CPU")

    @unittest.skipIf(EMULATOR or os.geteuid() != 0, "an empty root takes the administrator, and has no emulator")
    def test_needs_no_other_file(self):
        with tempfile.TemporaryDirectory() as root:
            shutil.copy(PROGRAM, pathlib.Path(root, "heed-translate"))
            shutil.copytree(self.folder / "model", pathlib.Path(root, "model"))
            alone = ["chroot", root, "/heed-translate"]
            run = subprocess.run([*alone, "translate", "/model"], input="a b\n", capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stdout.count("\n"), 1)
            with served(*alone, "serve", "/model") as ours, served(toy.HEED, "serve", str(self.folder / "model")) as theirs:
                self.assertEqual(answer(ours, ""), answer(theirs, ""))  # the page
                self.assertIn("</html>", answer(ours, ""))
                for path, question in (("translate", {"q": ["a b c\nder Hund .", "quick"], "alternatives": 2}),
                                       ("translate", {"q": "<p>der <b>Hund</b></p>", "format": "html"}),
                                       ("attention", {"q": "der Hund läuft quick .", "prefix": "quick"}),
                                       ("attention", {"q": "a b", "translation": "b a", "kind": ["cross"]}),
                                       ("candidates", {"q": "der Hund", "prefix": "", "count": 20}), ("detect", {"q": "der мама"}),
                                       ("languages", None), ("health", None)):
                    with self.subTest(path=path, question=question):
                        self.assertEqual(answer(ours, path, question), answer(theirs, path, question))
                self.assertIn('heed_lines_total{model="model"}', answer(ours, "metrics"))


if __name__ == "__main__":
    unittest.main()
