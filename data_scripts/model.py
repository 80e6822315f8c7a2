#!/usr/bin/env python3
"""Fetches a translation model of Hugging Face's hub, for `heed import`.

REPOSITORY is its name there, OWNER/NAME:
  Helsinki-NLP/opus-mt-de-en             OPUS-MT, German to English; there are 1,500 pairs, CC BY 4.0
  facebook/nllb-200-distilled-600M       NLLB-200, 200 languages, CC BY-NC 4.0
  facebook/m2m100_418M                   M2M-100, 100 languages, MIT

A model may change in its place. The checksums of the first download are kept beside it, and later
downloads must be the same. The model's card, README.md, names its licence.

Writes OUTPUT/ with the files that `heed import OUTPUT -o runs/NAME` reads.
"""

from pathlib import Path

from fetching import download
from script import Parser, UserMistake, WorldFailed, note, output_folder, run

HOME = "https://huggingface.co/{repository}/resolve/{revision}/{file}"
NEEDED = ("config.json",)
# Some models have the one, some the other.
EITHER = {
    "weights": ("model.safetensors", "pytorch_model.bin"),
    "pieces": ("source.spm", "sentencepiece.bpe.model"),
}
USEFUL = (
    "target.spm",
    "vocab.json",
    "target_vocab.json",
    "generation_config.json",
    "special_tokens_map.json",
    "tokenizer_config.json",
    "tokenizer.json",
    "added_tokens.json",
    "README.md",
)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_argument("repository", metavar="REPOSITORY")
    parser.add_argument("--output", help="folder to write to; default: models/NAME")
    parser.add_argument("--revision", default="main", help="a branch, tag or commit (%(default)s)")
    parser.add_argument("--home", default=HOME, help="address of a mirror (%(default)s)")
    options = parser.parse_args()
    if options.repository.count("/") != 1:
        raise UserMistake(f"{options.repository}: a repository is OWNER/NAME")
    name = options.repository.split("/")[1]
    folder = output_folder(options.output or f"models/{name}")

    def fetch(file: str) -> Path:
        return download(
            options.home.format(
                repository=options.repository, revision=options.revision, file=file
            ),
            folder,
        )

    for file in NEEDED:
        fetch(file)
    for what, files in EITHER.items():
        if not any(fetched(fetch, file) for file in files):
            raise WorldFailed(
                f"{options.repository} has no {what} that heed reads: neither {files[0]} nor "
                f"{files[1]}"
            )
    for file in USEFUL:
        if not fetched(fetch, file):
            note(f"{options.repository} has no {file}")
    print(f"heed import {folder} -o runs/{name}")


def fetched(fetch, file: str) -> bool:
    try:
        fetch(file)
    except WorldFailed as error:
        # What a server says of a file that it has not: another failure is one.
        if "404" in str(error) or "No such file" in str(error):
            return False
        raise
    return True


if __name__ == "__main__":
    run(main)
