#!/usr/bin/env python3
"""Fetches IWSLT14 German-English: TED talks, the standard small benchmark with long sentences.

Home: https://wit3.fbk.eu/2014-01 (Cettolo et al. 2012); TED Conference LLC, CC BY-NC-ND 3.0. Splits
as in fairseq's prepare-iwslt14.sh: every 23rd pair of the training text is held out for validation,
and the test set is dev2010, dev2012, tst2010, tst2011 and tst2012 together (6,750 pairs). Unlike
there, the text stays raw and cased: SentencePiece needs no tokeniser, and sacrebleu scores raw
text.

Writes OUTPUT/{train,valid,test}.{de,en}, and glued.{de,en}: neighbours of the test set joined, two,
three and four in turn, up to 120 German words. Such long sentences are in no training text.
--from takes a folder with de-en.tgz, or with its unpacked files, or with
{train,valid,test}.{de,en}[.gz] that are already split (such copies are usually tokenised and
lowercased: scores on them compare with nothing else).
"""

import html
import re
import shutil
import tarfile
import zlib
from pathlib import Path
from typing import Dict, List, Tuple

from fetching import (
    check,
    clean,
    corpus_options,
    corpus_parser,
    download,
    find_local,
    parallel_lines,
    read_lines,
    same_count,
    write_split,
)
from script import UserMistake, WorldFailed, note, run

ADDRESSES = (
    "https://dl.fbaipublicfiles.com/fairseq/data/iwslt14/de-en.tgz",
    "https://wit3.fbk.eu/archive/2014-01/texts/de/en/de-en.tgz",
)
LANGUAGES = ("de", "en")
TESTS = ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")
LINES = {"raw": 174443, "test": 6750}
HELD_OUT_EVERY = 23
LONGEST, RATIO = 175, 1.5  # in words and punctuation marks, fairseq's limits
GLUED, LONGEST_GLUED = (2, 3, 4), 120  # sentences in turn, and German words
NOT_TEXT = (
    "<url>",
    "<talkid>",
    "<keywords>",
    "<speaker>",
    "<reviewer",
    "<translator",
    "<doc",
    "</doc",
)
TAG = re.compile(r"</?(title|description|seg)[^>]*>")
TOKEN = re.compile(r"\w+|[^\w\s]")


def unpack(archive: Path, folder: Path) -> Path:
    """The text files of the archive, flat in `folder`, which has no others then."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = Path(member.name).name
                wanted = name.startswith(("train.tags.", "IWSLT14.")) and not name.startswith("._")
                if member.isfile() and wanted:
                    (folder / name).write_bytes(tar.extractfile(member).read())
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise UserMistake(
            f"{archive}: not a whole .tgz archive ({error}); delete it and fetch it again"
        ) from error
    return folder


def training_text(path: Path) -> List[str]:
    """What is said, with titles and descriptions; what stands in other tags is left out."""
    return [
        clean(TAG.sub(" ", line))
        for line in read_lines(path)
        if not line.lstrip().startswith(NOT_TEXT)
    ]


def test_text(path: Path) -> List[str]:
    lines = (line for line in read_lines(path) if "<seg" in line)
    return [clean(html.unescape(TAG.sub(" ", line)).replace("\u2019", "'")) for line in lines]


def keeps(source: str, target: str) -> bool:
    """Drops what is empty, very long or of very unlike length."""
    lengths = [len(TOKEN.findall(side)) for side in (source, target)]
    return min(lengths) > 0 and max(lengths) <= LONGEST and max(lengths) <= RATIO * min(lengths)


def official(folder: Path, no_check: bool) -> Dict[str, Dict[str, List[str]]]:
    raw = [
        training_text(find_local(folder, [f"train.tags.de-en.{language}"]))
        for language in LANGUAGES
    ]
    same_count(*raw, "train.tags.de-en.de", "train.tags.de-en.en")
    check(
        len(raw[0]) == LINES["raw"],
        f"{folder}: {len(raw[0])} training lines, not {LINES['raw']}",
        no_check,
    )
    pairs = [pair for pair in zip(*raw) if keeps(*pair)]
    note(
        f"left out {len(raw[0]) - len(pairs)} of {len(raw[0])} training pairs: empty, "
        f"over {LONGEST} words, or one side over {RATIO} times the other"
    )
    test: List[Tuple[str, str]] = []
    for name in TESTS:
        sides = [
            test_text(find_local(folder, [f"IWSLT14.{name}.de-en.{language}.xml"]))
            for language in LANGUAGES
        ]
        same_count(*sides, f"IWSLT14.{name}.de-en.de.xml", f"IWSLT14.{name}.de-en.en.xml")
        test += zip(*sides)
    check(
        len(test) == LINES["test"],
        f"{folder}: {len(test)} test lines, not {LINES['test']}",
        no_check,
    )
    splits = {
        "train": [pair for number, pair in enumerate(pairs, 1) if number % HELD_OUT_EVERY],
        "valid": pairs[HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY],
        "test": test,
    }
    return {
        split: {
            language: [pair[side] for pair in chosen] for side, language in enumerate(LANGUAGES)
        }
        for split, chosen in splits.items()
    }


def ready(folder: Path, no_check: bool) -> Dict[str, Dict[str, List[str]]]:
    splits = {}
    for split in ("train", "valid", "test"):
        paths = [find_local(folder, [f"{split}.{language}"]) for language in LANGUAGES]
        splits[split] = dict(zip(LANGUAGES, parallel_lines(paths)))
    count = len(splits["test"]["de"])
    check(count == LINES["test"], f"{folder}: {count} test lines, not {LINES['test']}", no_check)
    sample = "".join(splits["train"]["en"][:1000])
    if sample == sample.lower():
        note("this copy is lowercased: report scores on it as such")
    return splits


def glued(sides: Dict[str, List[str]]) -> Dict[str, List[str]]:
    """Neighbours of a talk as one sentence; what would be too long is left out."""
    out: Dict[str, List[str]] = {language: [] for language in sides}
    begin, turn = 0, 0
    while begin < len(sides["de"]):
        end = begin + GLUED[turn % len(GLUED)]
        turn += 1
        joined = {language: " ".join(lines[begin:end]) for language, lines in sides.items()}
        if len(joined["de"].split()) <= LONGEST_GLUED:
            for language, line in joined.items():
                out[language].append(line)
        begin = end
    return out


def fetch(downloads: Path) -> Path:
    try:
        archive = download(ADDRESSES[0], downloads)
    except WorldFailed as error:
        note(str(error))
        archive = download(ADDRESSES[1], downloads)
    return unpack(archive, downloads / "de-en")


def main() -> None:
    options = corpus_options(corpus_parser(__doc__, "iwslt14"), "iwslt14")
    if options.folder is None:
        splits = official(fetch(options.downloads), options.no_check)
    else:
        folder = options.folder
        if (folder / "de-en.tgz").is_file():
            folder = unpack(folder / "de-en.tgz", options.downloads / "de-en")
        elif (folder / "de-en").is_dir():
            folder = folder / "de-en"
        tagged = (folder / "train.tags.de-en.de").is_file() or (
            folder / "train.tags.de-en.de.gz"
        ).is_file()
        splits = (official if tagged else ready)(folder, options.no_check)
    splits["glued"] = glued(splits["test"])
    for split, sides in splits.items():
        write_split(options.output, split, sides)


if __name__ == "__main__":
    run(main)
