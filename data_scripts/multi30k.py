#!/usr/bin/env python3
"""Fetches Multi30k task 1: image captions in English, German and French, short and plain.

Home: https://github.com/multi30k/dataset (Elliott et al. 2016). Its README: "solely provided for
researchers and educators ... for non-commercial research and/or educational purposes"; derived from
Flickr30k.

Writes OUTPUT/{train,valid,test2016,test2017,test2017_mscoco}.{de,en}: raw, cased, one caption a
line.
--from takes the downloaded files (train.de.gz, val.de.gz, test_2016_flickr.de.gz, ...) or files
named like the ones this script writes, each plain or .gz.
"""

from pathlib import Path

from fetching import (
    AGAIN,
    check,
    clean,
    corpus_options,
    corpus_parser,
    download,
    find_local,
    read_lines,
    same_count,
    sha256_of_lines,
    write_split,
)
from script import UserMistake, run

HOME = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
OFFICIAL = {
    "train": "train",
    "valid": "val",
    "test2016": "test_2016_flickr",
    "test2017": "test_2017_flickr",
    "test2017_mscoco": "test_2017_mscoco",
}
LINES = {"train": 29000, "valid": 1014, "test2016": 1000, "test2017": 1000, "test2017_mscoco": 461}
LANGUAGES = ("de", "en", "fr")
# Of the text after cleaning, each line ended by one line feed.
SHA256 = {
    "train.de": "eda45117af69f18e19a6929cd7ac439bad9ad23430f35b221f7da7ec962782bd",
    "train.en": "f7cb7c7d411f6039a15de94de8c4d1709fada7b7474791598fd18451ec62427d",
    "train.fr": "87fd0969fd5d58acc23d2b8d024261df5177e1120c65b54011ca634736dcd661",
    "valid.de": "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660",
    "valid.en": "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227",
    "valid.fr": "3a61fe933a20608d6102b5d94dd0870ce8502d1cbec73511afff489ddab0c756",
    "test2016.de": "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16",
    "test2016.en": "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182",
    "test2016.fr": "dd64ea1883b68f55c887118839b434edc68b1dae3be6064c3bd5ab38033ddc6b",
    "test2017.de": "0ae2c070897390d162c867271596ca6d6c9bc4fdcf6bb153621eb46eb19a027b",
    "test2017.en": "89f1090381c6663a596cb69df930ed331b1f3869a0863774ab9471748ab29f45",
    "test2017.fr": "57ee019ef4b802206799177fe667097dcd32fd031a92e86938fcbfea97f727f8",
    "test2017_mscoco.de": "6fa27772f7927065df845bac373d0d743fe91930f83f541ff320b7e6398d394c",
    "test2017_mscoco.en": "61426c11a797dcf771149e10de1c311912182a96db3bcd1b9af0a34e8694df0f",
    "test2017_mscoco.fr": "7f2688662c891f60e8a1e6d27ea1986cd71efe75aef55fd383cc2bd4b4c23a67",
}


def main() -> None:
    parser = corpus_parser(__doc__, "multi30k")
    parser.add_argument(
        "--languages",
        nargs="+",
        default=["de", "en"],
        metavar="LANG",
        help="any of de, en, fr (de en)",
    )
    options = corpus_options(parser, "multi30k")
    for language in options.languages:
        if language not in LANGUAGES:
            raise UserMistake(f"--languages: '{language}' is none of {', '.join(LANGUAGES)}")
    for split, name in OFFICIAL.items():
        sides = {}
        for language in options.languages:
            if options.folder:
                path = find_local(
                    options.folder, (f"{name}.{language}.gz", f"{split}.{language}.gz")
                )
            else:
                path = download(f"{HOME}{name}.{language}.gz", options.downloads)
            lines = [clean(line) for line in read_lines(path)]
            check(
                len(lines) == LINES[split],
                f"{path}: {len(lines)} lines, not {LINES[split]}; {AGAIN}",
                options.no_check,
            )
            check(
                sha256_of_lines(lines) == SHA256[f"{split}.{language}"],
                f"{path}: not the text of Multi30k {split}.{language} (sha256 differs); {AGAIN}",
                options.no_check,
            )
            sides[language] = lines
        first = options.languages[0]
        for language, lines in sides.items():
            same_count(sides[first], lines, f"{split}.{first}", f"{split}.{language}")
        write_split(options.output, split, sides)


if __name__ == "__main__":
    run(main)
