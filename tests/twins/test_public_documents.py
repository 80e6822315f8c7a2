"""Documents that test other programs: each comes back byte for byte when its translation is its text, and no letter that is shown is missing for the model.

HEED_PUBLIC_TESTS is a folder with any of these, in folders of any names, none of which is part of heed:
- html5lib-tests (tree-construction/*.dat; html5lib's source package has them as html5lib/tests/testdata),
- CommonMark's spec.txt,
- WebVTT files (*.vtt) of web-platform-tests, or of vtt.js.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
IDENTITY = os.environ.get("HEED_IDENTITY", str(ROOT / "build/release/identity"))
FOLDER = os.environ.get("HEED_PUBLIC_TESTS", "")
if not FOLDER:
    print("NO-PUBLIC-TESTS: HEED_PUBLIC_TESTS names a folder with tests of other programs")
# Elements in which nothing is for the reader, or which stay.
STAYING = set("code iframe kbd listing math noembed noframes plaintext pre rp rt rtc samp script style svg textarea title tt xmp".split())


def found(pattern):
    return sorted(pathlib.Path(FOLDER).rglob(pattern)) if FOLDER else []


def identities(kind, documents):
    """What heed makes of each, which is bytes: {"texts", "same"} or {"refused"}."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / str(i) for i in range(len(documents))]
        for path, document in zip(paths, documents, strict=True):
            path.write_bytes(document)
        out = []
        for first in range(0, len(paths), 1000):
            done = subprocess.run([IDENTITY, kind, *paths[first : first + 1000]], capture_output=True, check=True)
            out += [json.loads(line) for line in done.stdout.decode().splitlines()]
    return out


def letters(texts):
    return collections.Counter(c for text in texts for c in text if c.isalpha())


def pages(path):
    """Pages and the texts that a browser shows of each, by the tree below "#document"."""
    for test in re.split(r"(?:\n\n|\A)#data\n", path.read_bytes().decode("utf-8", "surrogateescape"))[1:]:
        page, _, rest = test.partition("\n#errors\n")
        rest = "\n" + rest
        # Fragments are no pages; scripts are not run; an option that is chosen is shown twice.
        if "\n#document-fragment\n" in rest or "<noscript" in page or "<selectedcontent" in page:
            yield page.encode("utf-8", "surrogateescape"), []
            continue
        shown, around = [], []
        lines = re.split(r"\n\| ", rest.partition("\n#document\n")[2].removeprefix("| "))
        for line in lines:
            depth = len(line) - len(line.lstrip(" "))
            del around[depth // 2 :]
            name = re.match(r"<(?!!|\?)(?:svg |math )?([^>\s]+)>", line[depth:])
            around += [name[1] if name else ""]
            is_foreign = name and line[depth:].startswith(("<svg ", "<math "))
            if is_foreign:
                around[-1] = "svg"
            if line[depth:].startswith('"') and not STAYING & set(around):
                # What is no reference of HTML stays, such as "&AMp;", and so do names of programs, such as "prod_id".
                shown.append(re.sub(r"&\w+;|[a-z]+_[a-z]+", "", line[depth + 1 :].rstrip().removesuffix('"')))
        yield page.encode("utf-8", "surrogateescape"), shown


@unittest.skipUnless(FOLDER, "HEED_PUBLIC_TESTS is not set")
class PublicDocuments(unittest.TestCase):
    def compare(self, kind, documents):
        """Of pairs: a document, and what it shows, whose letters have to be in the texts."""
        if not documents:
            self.skipTest("not there")
        changed, refused, missing = [], [], []
        for (document, shown), said in zip(documents, identities(kind, [each for each, _ in documents]), strict=True):
            if "refused" in said:
                refused.append((document, said["refused"]))
                continue
            if not said["same"]:
                changed.append(document)
            # Letter by letter, because a browser joins what it moves out of a table.
            lost = letters(shown) - letters(said["texts"])
            if lost:
                missing.append((document, lost, said["texts"]))
        print(f"{kind}: {len(documents)} documents, {len(changed)} changed, {len(refused)} refused, {len(missing)} without a letter")
        self.assertEqual(changed, [])
        return refused, missing

    def test_pages_of_html5lib(self):
        documents = [each for path in found("tree-construction/*.dat") for each in pages(path)]
        refused, missing = self.compare("html", documents)
        self.assertEqual(refused, [])
        self.assertEqual(missing, [])

    def test_examples_of_commonmark(self):
        documents = []
        for path in found("spec.txt"):
            text = path.read_text(encoding="utf-8")
            documents.append((text.encode(), []))
            for example in re.findall(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", text, re.DOTALL | re.MULTILINE):
                documents.append((example.replace("→", "\t").encode(), []))
        refused, _ = self.compare("markdown", documents)
        self.assertEqual(refused, [])

    def test_webvtt(self):
        documents = [(path.read_bytes(), []) for path in found("*.vtt")]
        refused, _ = self.compare("vtt", documents)
        for document, why in refused:
            self.assertIn("begins like subtitles of", why, document)


if __name__ == "__main__":
    unittest.main()
