"""heed-translate, the one static program of ./run small."""
import contextlib
import itertools
import json
import os
import pathlib
import re
import shlex
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
# An empty root takes the administrator, or one of a namespace of its own.
AS_ROOT = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
# The rooms of which speed is wanted.
FAST_ROOMS = ("decode/search", "engine", "kernels/rows")
# Terms, and lines that have each: in the other case, in quotes that are not ASCII, at the end of a sentence. Then lines that
# have none: there it is a part of a word.
TERMS = ("ÜBERMORGEN", "straße", "Ωμέγα", "ΟΔΌΣ", "МАМА", "ёж")
WITH_A_TERM = ("a übermorgen", "„STRAßE“ a", "»ΩΜΈΓΑ«", "a οδός…", "мама, a", "a “ЁЖ”")
WITHOUT = ("übermorgens", "Landstraße", "Ωμέγαν", "πάροδος", "мамаша", "ёжик")


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


def options_of_loops(build):
    """The optimisation of each file of src/ that a build compiles, and which other options decide on the machine's code."""
    out = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if re.search(r" -o CMakeFiles/test_\w+[.]dir/src/", entry["command"]):  # with registries of the test's own
            continue
        file = pathlib.Path(entry["directory"], entry["file"])
        files = re.findall('^#include "(.*)"', file.read_text(encoding="utf-8"), re.M) if "/Unity/" in str(file) else [str(file)]
        options = [word for word in shlex.split(entry["command"]) if re.match("-([Ofm]|std=|D.*NDEBUG)", word)]
        # Where functions lie, and which may be left out, changes nothing in them.
        kept = {word for word in options if not re.match("-f(function-sections|data-sections|PI[CE]|use-ld=|diagnostics|openmp$)|-O", word)}
        for name in files:
            out[os.path.relpath(name, ROOT / "src")] = [word for word in options if word.startswith("-O")][-1:], sorted(kept)
    return out


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
        wide = ("output=" + str(cls.folder / "wide"), "model.width=144", "model.feed_forward=320", "training.updates=20")
        toy.heed("train", "toy.yaml", *(part for one in wide for part in ("--set", one)), folder=cls.folder)
        (cls.folder / "terms").write_text("".join(f"{term}\tfox\n" for term in TERMS), encoding="utf-8")

    def test_is_one_file_of_at_most_seven_megabytes(self):
        # Of these the readers of documents are one, with MD4C, gumbo and expat.
        self.assertLessEqual(PROGRAM.stat().st_size, 7_000_000)
        needed = subprocess.run(["readelf", "-d", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("NEEDED", needed)

    def test_translates_as_heed_does(self):
        text = self.folder / "text"
        text.write_text("a b c\n\nder Hund .\n" + "b a " * 40 + "\n", encoding="utf-8")
        # Sums of 144 and 320 numbers, in vectors of any processor, show in which order they were added up.
        cases = set(itertools.product(("model", "wide"), ("fp32", "bf16", "int8")))
        # Another processor adds up in another order. What is then rounded to bf16 or int8 may become another number, and wide
        # sums show it in the third digit of a score: no two processors need agree.
        for model, numbers in sorted(cases - ({("wide", "bf16"), ("wide", "int8")} if EMULATOR else set())):
            arguments = ["translate", str(self.folder / model), str(text), "--set", f"decoding.weights={numbers}", "--scores", "--n-best", "2",
                         "--alignment", "--replace-unknown", "--set", "precision=fp32"]
            ours = subprocess.run([*RUN, *arguments], capture_output=True, text=True, check=True)
            theirs = toy.heed(*arguments, folder=self.folder)
            with self.subTest(model=model, numbers=numbers):
                if EMULATOR:  # sums of floats are added up in another order
                    number = re.compile(r"-?\d+\.\d+")
                    for one, other in zip(*(map(float, number.findall(text)) for text in (ours.stdout, theirs)), strict=True):
                        self.assertAlmostEqual(one, other, delta=0.01)
                    self.assertEqual(*(number.sub("", text) for text in (ours.stdout, theirs)))
                else:
                    self.assertEqual(ours.stdout, theirs)

    def test_loops_are_compiled_as_in_heed(self):
        if not (ROOT / "build/release/compile_commands.json").exists():
            self.skipTest("no build/release")
        ours, theirs = options_of_loops(PROGRAM.parent), options_of_loops(ROOT / "build/release")
        compared = [file for file in ours if file.startswith(tuple(room + "/" for room in FAST_ROOMS))]
        self.assertTrue(set(FAST_ROOMS) <= {os.path.dirname(file) for file in compared}, compared)
        for file in compared:
            with self.subTest(file=file):
                self.assertEqual(ours[file], theirs[file])
                self.assertEqual(ours[file][0], ["-O3"])

    def finds_terms(self, program, model, terms, **more):
        run = subprocess.run([*program, "translate", model, "--glossary", terms], input="\n".join([*WITH_A_TERM, *WITHOUT]) + "\n",
                             capture_output=True, text=True, **more)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.splitlines()
        self.assertEqual(len(lines), len(WITH_A_TERM) + len(WITHOUT))
        for i, (line, source) in enumerate(zip(lines, WITH_A_TERM + WITHOUT, strict=True)):
            with self.subTest(source=source):
                (self.assertIn if i < len(WITH_A_TERM) else self.assertNotIn)("fox", line.split())

    def test_says_what_it_cannot_do(self):
        run = subprocess.run([*RUN, "translate", self.folder / "model", "--device", "cuda"], input="a\n", capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "^heed: heed-translate translates and serves on a CPU")

    @unittest.skipIf(EMULATOR, "an empty root has no emulator")
    @unittest.skipIf(subprocess.run([*AS_ROOT, "true"], capture_output=True).returncode, "an empty root takes the administrator")
    def test_needs_no_other_file(self):
        with tempfile.TemporaryDirectory() as root:
            shutil.copy(PROGRAM, pathlib.Path(root, "heed-translate"))
            shutil.copytree(self.folder / "model", pathlib.Path(root, "model"))
            alone = [*AS_ROOT, "chroot", root, "/heed-translate"]
            run = subprocess.run([*alone, "translate", "/model"], input="a b\n", capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stdout.count("\n"), 1)
            shutil.copy(self.folder / "terms", root)  # letters of all scripts need no file of a locale
            for more in ({}, {"LC_ALL": "de_DE.UTF-8"}):
                self.finds_terms(alone, "/model", "/terms", env={"PATH": os.environ["PATH"], **more})
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
