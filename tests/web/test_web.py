"""heed.wasm, the program in the pages of `heed export --format web`, in node."""
import base64
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/page"))
import toy  # noqa: E402

BUILD = pathlib.Path(os.environ.get("HEED_BUILD", ROOT / "build/release"))
LINES = ["der Hund läuft quick .", "mama мама", "", "我们 喜欢 漂亮的 城市", " ".join(["a"] * 150), "unbekannt \u03a9"]


def questions():
    for line in LINES:
        for prefix in ("", "quick"):
            yield {"path": "attention", "q": line, "prefix": prefix}
            yield {"path": "steps", "q": line, "prefix": prefix}
            yield {"path": "candidates", "q": line, "prefix": prefix, "count": 10}


def answers(command, asked):
    run = subprocess.run(command, input="".join(json.dumps(one) + "\n" for one in asked), capture_output=True, text=True,
                         check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def floats(text):
    return [number for number, in struct.iter_unpack("<f", base64.b64decode(text))]


class Web(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (BUILD / "heed.wasm").exists() or not shutil.which("node"):
            print("NO-WASM: heed.wasm was not looked at; ./run web and node", flush=True)  # ctest looks for this word
            raise unittest.SkipTest("no heed.wasm, or no node")
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        toy.train(cls.folder)
        changed = (f"output={cls.folder / 'rnn'}", "model.type=rnn", "model.attention=luong_general", "model.hidden_size=24",
                   "model.tie=none", "data.vocabulary.kind=separate")
        toy.heed("train", "toy.yaml", *(part for one in changed for part in ("--set", one)), folder=cls.folder)
        toy.heed("export", "model", "rnn", "--format", "web", "-o", "page.html", folder=cls.folder)
        cls.page = (cls.folder / "page.html").read_text(encoding="utf-8")
        data = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', cls.page, re.S)[1])
        cls.models = [{name: zlib.decompress(base64.b64decode(text)) for name, text in one["files"].items()}
                      for one in data["models"]]

    def native(self, number):
        """The answers of the same program on this processor."""
        files = {"target": self.models[number]["source"], **self.models[number]}
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        names = ("settings", "weights", "source", "target")
        return answers([BUILD / "web_native", *(self.folder / name for name in names)], questions())

    def same(self, one, other, path=""):
        """Equal but for the last digits."""
        if isinstance(one, dict):
            self.assertEqual(list(one), list(other), path)
            for key in one:
                self.same(one[key], other[key], f"{path}.{key}")
        elif isinstance(one, list):
            self.assertEqual(len(one), len(other), path)
            for i, (a, b) in enumerate(zip(one, other, strict=True)):
                self.same(a, b, f"{path}[{i}]")
        elif path.endswith(".floats"):
            for a, b in zip(floats(one), floats(other), strict=True):
                self.assertTrue(a == b or abs(a - b) < 1e-3 * max(1, abs(a)), (path, a, b))
        elif isinstance(one, (int, float)):  # JavaScript writes 0.0 as 0
            self.assertAlmostEqual(one, other, delta=2e-4, msg=path)
        else:
            self.assertEqual(one, other, path)

    def test_answers_are_those_of_the_same_code_on_this_processor(self):
        for number in (0, 1):
            with self.subTest(model=number):
                page = answers(["node", ROOT / "tests/web/answers.mjs", self.folder / "page.html", str(number)], questions())
                native = self.native(number)
                self.assertEqual(len(page), 6 * len(LINES))
                self.same(page, native)
                self.assertNotEqual(page[0]["translatedText"], "")
                self.assertEqual({one["kind"] for one in page[0]["matrices"]},
                                 {"cross"} if number else {"encoder", "decoder", "cross"})
                self.assertEqual(len(page[1]["sentences"][0]["heads"]), sum(one["head"] >= 0 for one in page[0]["matrices"]))
                self.assertIn("noAttention", page[24])
                self.assertIn("noAttention", page[25])

    def test_an_error_has_its_message_and_the_next_question_an_answer(self):
        long = {"path": "attention", "q": "a", "prefix": "a " * 5000}
        short = {"path": "attention", "q": "a", "prefix": ""}
        first, wrong, again = answers(["node", ROOT / "tests/web/answers.mjs", self.folder / "page.html"], [short, long, short])
        self.assertEqual(list(wrong), ["error"])
        self.assertIn("prefix", wrong["error"])
        self.assertEqual(first, again)

    def printed_by_tiles(self, expression):
        """The output of a program of parts of heed.wasm (tests/web/tiles.cpp)."""
        script = f"""
            const fs = require("node:fs"), nothing = new Proxy({{}}, {{ get: () => () => 8 }});
            const module = new WebAssembly.Module(fs.readFileSync({json.dumps(str(BUILD / "web" / "tiles.wasm"))}));
            const {{ exports }} = new WebAssembly.Instance(module, {{ page: nothing, wasi_snapshot_preview1: nothing }});
            exports._initialize();
            console.log({expression});"""
        return subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True).stdout

    def test_tiles_have_the_bits_of_those_for_any_processor(self):
        self.assertEqual(self.printed_by_tiles("exports.different()"), "0\n")

    def test_characters_are_what_they_are_in_heed(self):
        native = subprocess.run([BUILD / "web_native"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.printed_by_tiles("exports.characters() >>> 0"), native)

    def test_the_program_is_small(self):
        program = zlib.compress((BUILD / "heed.wasm").read_bytes(), 9)
        self.assertLess(len(program), 600_000)


if __name__ == "__main__":
    unittest.main()
