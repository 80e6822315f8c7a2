#!/usr/bin/env python3
"""Plants faults in a model's translations, and counts which `heed score --flags` finds (docs/flags.md).

  python3 tests/benchmarks/flags.py runs/multi30k_quick data/multi30k/test2016.de --heed build/release/heed

Of each fault every line has one copy. A line counts as found where any flag of the fault is raised that the line without it does
not have. False alarms are lines as the model translated them.
"""
import argparse
import collections
import pathlib
import random
import subprocess
import tempfile

CYRILLIC = str.maketrans("abcdefghiklmnoprstuvzABCDEFGHIKLMNOPRSTUVZ", "абцдефгхиклмнопрстувзАБЦДЕФГХИКЛМНОПРСТУВЗ")


def repeated(source, words, chance):
    at = chance.randrange(len(words))
    return source, words[:at] + words[at:at + 3] * 3 + words[at + 3:]


def with_number(source, words, wrong):
    return f"Bild 1375 : {source}", ["Picture", "1735" if wrong else "1375", ":", *words]


FAULTS = {  # (flags that may find it, what it does)
    "empty": ("empty", lambda source, words, chance, other: (source, [])),
    "source copied": ("copied", lambda source, words, chance, other: (source, source.split())),
    "three words three times": ("repetition", lambda source, words, chance, other: repeated(source, words, chance)),
    "number changed": ("numbers", lambda source, words, chance, other: with_number(source, words, True)),
    "another script": ("script", lambda source, words, chance, other: (source, " ".join(words).translate(CYRILLIC).split())),
    "first third only": ("length,unread", lambda source, words, chance, other: (source, words[:max(1, len(words) // 3)])),
    "second half missing": ("length,unread", lambda source, words, chance, other: (source, words[:max(1, len(words) // 2)])),
    "another line's": ("unsure", lambda source, words, chance, other: (source, other)),
}


def lines_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8").splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--heed", default="heed")
    args = parser.parse_args()
    sources, chance = lines_of(args.source), random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        def run(command, source, target=None):
            files = []
            for name, lines in (("source", source), ("target", target)):
                if lines is not None:
                    files.append(pathlib.Path(folder, name))
                    files[-1].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            done = subprocess.run([args.heed, *command[:1], args.model, *files, *command[1:]], capture_output=True, text=True,
                                  check=False)
            if done.returncode:
                raise SystemExit(done.stderr)
            return done.stdout.splitlines()

        def flags(source, target):
            return [set(line.split("\t")[1].split(",")) - {"-"} for line in run(("score", "--flags"), source, target)]

        translations = [line.split() for line in run(("translate",), sources)]
        usual = flags(sources, [" ".join(words) for words in translations])
        others = translations[1:] + translations[:1]
        print("| fault | flags | found | beside others, of lines |\n| --- | --- | --- | --- |")
        for name, (meant, plant) in FAULTS.items():
            pairs = [plant(*of, chance, other) for *of, other in zip(sources, translations, others)]
            raised = flags([one for one, _ in pairs], [" ".join(words) for _, words in pairs])
            meant = set(meant.split(","))
            found = sum(bool(meant & new) for new in raised) / len(raised)
            rest = collections.Counter(flag for new in raised for flag in new - meant)
            print(f"| {name} | {', '.join(sorted(meant))} | {found:.1%} | "
                  f"{', '.join(f'{flag} {count / len(raised):.1%}' for flag, count in rest.most_common(3))} |")
        alarms = collections.Counter(flag for new in usual for flag in new)
        print(f"\nof {len(usual)} translations as they are, {sum(map(bool, usual)) / len(usual):.1%} have a flag: "
              + ", ".join(f"{flag} {count / len(usual):.1%}" for flag, count in alarms.most_common()))
        numbered = [with_number(*of, False) for of in zip(sources, translations)]
        wrong = sum("numbers" in new for new in flags([a for a, _ in numbered], [" ".join(b) for _, b in numbered]))
        print(f"of as many with an equal number, {wrong / len(numbered):.1%} have numbers")


if __name__ == "__main__":
    main()
