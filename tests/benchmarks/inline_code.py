#!/usr/bin/env python3
"""What stands inside the sentences of translated Markdown: code that is lost or glued to words, punctuation that changes, and
emphasis and links that are not around their words.

  python3 tests/benchmarks/inline_code.py runs/en_de README.md docs/*.md
  python3 tests/benchmarks/inline_code.py runs/en_de README.md docs/*.md --bitext train.en train.de      # needs eflomal (PyPI)
  python3 tests/benchmarks/inline_code.py runs/en_de README.md docs/*.md --times runs/demo/transformer

Each file is translated with `heed translate --document markdown`. A paragraph of it that has inline code, and no block of code,
is compared with its translation, which has as many paragraphs: code is `lost` if it is there less often, `more` if it is there
more often, and `glued` if it has a letter or a digit beside it where the source has none. `apart`: code that is not beside a
bracket, quote mark, colon or hyphen any more, and was. The punctuation of all paragraphs is counted without code and links.

With --bitext the sentences of these files are translated with and without their emphasis and links; those that have none get a
link and strong emphasis around one to three words, which are not all frequent ones. A statistical aligner, eflomal (Östling and
Tiedemann 2016), which knows nothing of the model's attention, links the words of the bare sentences and their translations; it
learns from the bitext, too. Elements count whose words have a place by these links: no link leaves the run, and both directions
have its ends and all its words. `elsewhere` is a run without any of these words. Links of the aligner are wrong at times, so
--show prints such sentences.

With --times the sentences of these files are written as documents of some formats. It prints the processor time that each takes
with the model, and with another model that is small and writes few words: that is the time for reading and writing, and somewhat
more. Starting the program, with a document of one word, is not counted.
"""
import argparse
import collections
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

import aligning
import tags

CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
KINDS = {"stops": ".!?", "commas": ",;", "colons": ":", "brackets": "()[]", "quotes": "\"'»«„“”’‘›‹"}
BESIDE = "()[]\"'»«„“”’‘›‹:-"
WORD = r"[^\W_]+(?:['’.-][^\W_]+)*|[^\w\s]|_"
INLINE = re.compile(r"(?P<code>(?<!`)`[^`\n]+`(?!`))|(?P<picture>!\[)|\[(?P<link>[^\]\[\n]+)\]\([^()\s]+\)"
                    r"|\*\*(?P<strong>[^*\s](?:[^*\n]*[^*\s])?)\*\*|(?<![\w*])\*(?P<emphasis>[^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])"
                    r"|(?<![\w_])_(?P<other>[^_\s](?:[^_\n]*[^_\s])?)_(?![\w_])")
WRITTEN = re.compile(r"(?P<code>(?<!`)`[^`\n]+`(?!`))|(?P<open>\[(?=[^\]]*\]\(t\d+\)))|\]\((?P<close>t\d+)\)"
                     r"|(?P<mark>\*\*|\*|(?<!\w)__|__(?!\w)|(?<!\w)_|_(?!\w))|(?P<word>" + WORD + ")")
MARKS = {"strong": ("**", "__"), "emphasis": ("*", "_")}
FREQUENT = 100
VERDICTS = ("gold", "wider", "narrower", "overlaps", "elsewhere", "empty")


def paragraphs(text):
    text = re.sub(r"(?ms)^(```|~~~).*?^\1[^\n]*$", "", text)
    return [part for part in re.split(r"\n\s*\n", text) if part.strip()]


def around(text):
    """(code, character before it, character after it) in order."""
    return [(found[0], text[:found.start()][-1:], text[found.end():][:1]) for found in CODE.finditer(text)]


def glued(items):
    return sum(before.isalnum() or after.isalnum() for _, before, after in items)


def compare(source, target, counts, marks):
    was, now = around(source), around(target)
    of_source, of_target = (collections.Counter(code for code, *_ in items) for items in (was, now))
    counts["code"] += len(was)
    counts["lost"] += (of_source - of_target).total()
    counts["more"] += (of_target - of_source).total()
    counts["glued"] += max(0, glued(now) - glued(was))
    beside = [collections.Counter(side for _, *sides in items for side in sides if side and side in BESIDE) for items in (was, now)]
    counts["apart"] += max(0, beside[0].total() - beside[1].total())
    for which, text in enumerate((source, target)):
        bare = re.sub(r"\]\([^)\s]*\)", "]", CODE.sub("", text))
        for kind, characters in KINDS.items():
            marks[kind][which] += sum(bare.count(character) for character in characters)


class Sentence:
    """The tokens of a sentence - words, punctuation, code - with the blanks before them, and its elements as (kind, begin, end)."""

    def __init__(self, text):
        self.tokens, self.blanks, self.elements = [], [], []
        self.read(text)

    def read(self, text):
        """Raises ValueError where there is something that this script does not read."""
        at = 0
        for found in INLINE.finditer(text):
            if found["picture"]:
                raise ValueError(text)
            self.read_words(text, at, found.start())
            at, begin = found.end(), len(self.tokens)
            blank = text[:found.start()][-1:].isspace()
            if found["code"]:
                self.tokens.append(found["code"])
                self.blanks.append(blank)
                continue
            kind = found.lastgroup if found.lastgroup != "other" else "emphasis"
            self.elements.append([kind, begin])
            element = self.elements[-1]
            self.read(found[found.lastgroup])
            self.blanks[begin] = blank
            element.append(len(self.tokens))
        self.read_words(text, at, len(text))

    def read_words(self, text, begin, end):
        part = text[begin:end]
        if re.search(r"[`*_\[\]<>|\\&{}#~]|https?:|\w@\w", part):
            raise ValueError(part)
        for found in re.finditer(WORD, part):
            self.tokens.append(found[0])
            self.blanks.append(text[:begin + found.start()][-1:].isspace())

    def written(self, elements=()):
        """With these elements, each (begin, end, mark before, mark after)."""
        out = ""
        for i, token in enumerate(self.tokens):
            out += " " if self.blanks[i] and out else ""
            out += "".join(before for begin, _, before, _ in elements if begin == i) + token
            out += "".join(after for _, end, _, after in reversed(elements) if end == i + 1)
        return out

    def marked(self):
        """Its elements with marks that occur once: the address of a link is its number."""
        free, out = {kind: list(marks) for kind, marks in MARKS.items()}, []
        for number, (kind, begin, end) in enumerate(self.elements):
            if kind == "link":
                out.append((begin, end, "[", f"](t{number})"))
            elif free[kind]:
                out.append((begin, end, *2 * [free[kind].pop(0)]))
        return out


def sentences(text):
    """The sentences of paragraphs and items of a Markdown text."""
    for part in paragraphs(text):
        for item in re.split(r"\n(?=\s*(?:[-*+]|\d+\.)\s)", part):
            if re.search(r"(?m)^\s*(?:#|\||>|\t|<|\[[^\]]+\]:|:::|=+$|-+$)|^    ", item):
                continue
            one = " ".join(re.sub(r"^\s*(?:[-*+]|\d+\.)\s+", "", item).split())
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`*_\[])", one):
                try:
                    read = Sentence(sentence)
                except ValueError:
                    continue
                if 3 <= sum(token[0].isalpha() for token in read.tokens) <= 40 and sentence[-1] in ".!?":
                    yield read


def placed(text):
    """The tokens of a translated sentence, the run of tokens of each mark, and the text without marks."""
    tokens, runs, begun, bare, at = [], {}, {}, "", 0
    for found in WRITTEN.finditer(text):
        bare += text[at:found.start()]
        at = found.end()
        if found["open"]:
            begun["["] = len(tokens)
        elif found["close"]:
            runs[f"]({found['close']})"] = begun.pop("[", 0), len(tokens)
        elif found["mark"]:
            mark = found["mark"]
            if mark in begun:
                runs[mark] = begun.pop(mark), len(tokens)
            else:
                begun[mark] = len(tokens)
        else:
            tokens.append(found[0])
            bare += found[0]
    return tokens, runs, bare + text[at:]


def is_word(token):
    return token[0].isalnum() or token[0] == "`"


def gold_place(begin, end, source, target, joined, sure):
    """The run of target words that belongs to these source words, or None."""
    of_words = {(i, j) for i, j in joined if is_word(source[i]) and is_word(target[j])}
    inside = {j for i, j in of_words if begin <= i < end}
    certain = {j for i, j in sure & of_words if begin <= i < end}
    outside = {j for i, j in of_words if not begin <= i < end}
    linked = {i for i, _ in sure & of_words}
    if not certain or (min(inside), max(inside)) != (min(certain), max(certain)):
        return None
    if any(is_word(source[i]) and i not in linked for i in range(begin, end)):
        return None
    first, last = min(inside), max(inside) + 1
    return None if any(first <= j < last for j in outside) else (first, last)


def verdict(run, gold, tokens):
    begin, end = run
    while begin < end and not is_word(tokens[begin]):
        begin += 1
    while begin < end and not is_word(tokens[end - 1]):
        end -= 1
    found = tags.verdict((begin, end), gold)
    return "overlaps" if found == "elsewhere" and max(begin, gold[0]) < min(end, gold[1]) else found


def aligned(args, sources, targets):
    """Of each pair the joined links of both directions, and those that both have; and the most frequent words."""
    def words(text):
        return " ".join("codeword" if token[0] == "`" else token.lower() for token in text) or "."
    lines = [[words(text) for text in texts] for texts in (sources, targets)]
    for pair in zip(*(path.read_text(encoding="utf-8").splitlines() for path in args.bitext)):
        read = [re.findall(WORD, text) for text in pair]
        if all(read):
            for side, text in zip(lines, read):
                side.append(words(text))
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{folder}/{name}" for name in ("source", "target", "forward", "backward")]
        for name, side in zip(names, lines):
            pathlib.Path(name).write_text("\n".join(side) + "\n", encoding="utf-8")
        command = [args.eflomal, "-s", names[0], "-t", names[1], "--model", "3", "-f", names[2], "-r", names[3]]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        forward, backward = ([set(tags.links_of(line)) for line in open(name, encoding="utf-8")] for name in names[2:])
    counts = collections.Counter(word for line in lines[0] for word in line.split() if is_word(word))
    return ([(aligning.grow_diag_final_and(one, other), one & other) for one, other in zip(forward[:len(sources)], backward)],
            {word for word, _ in counts.most_common(FREQUENT)})


def planted(source, target, links, frequent, chance):
    """A link and strong emphasis around one to three words each that have a gold place."""
    runs = {}
    for begin in range(len(source)):
        for end in range(begin + 1, min(begin + tags.LONGEST, len(source)) + 1):
            words = source[begin:end]
            is_plain = all(token[0].isalnum() for token in words) and any(token.lower() not in frequent for token in words)
            if is_plain and gold_place(begin, end, source, target, *links):
                runs[begin, end] = True
    return [(*run, *marks) for run, marks in zip(tags.choose(runs, 2, chance), (("[", "](t0)"), ("**", "**")))]


def measure_places(args, translate):
    chance = random.Random(args.seed)
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in args.files]
    unique = {one.written(one.marked()): one for text in texts for one in sentences(text)}
    read = chance.sample(list(unique.values()), min(args.sentences, len(unique)))
    bare = translate("\n\n".join(one.written() for one in read) + "\n").rstrip("\n").split("\n\n")
    if len(bare) != len(read):
        sys.exit("inline_code.py: the translation has other paragraphs")
    targets = [placed(text)[0] for text in bare]
    links, frequent = aligned(args, [one.tokens for one in read], targets)
    elements = [one.marked() or planted(one.tokens, target, of_line, frequent, chance)
                for one, target, of_line in zip(read, targets, links)]
    marked = [one.written(of_line) for one, of_line in zip(read, elements)]
    translated = translate("\n\n".join(marked) + "\n").rstrip("\n").split("\n\n")
    counts, other = collections.defaultdict(collections.Counter), 0
    for i, (one, text) in enumerate(zip(read, translated)):
        tokens, runs, without = placed(text)
        other += without != bare[i]
        shown = False
        for begin, end, before, after in elements[i]:
            kind = ("written" if one.elements else "planted") + (" links" if before == "[" else " emphasis")
            run = runs.get(after)
            gold = gold_place(begin, end, one.tokens, targets[i], *links[i])
            found = ("lost" if run is None else "other text" if tokens != targets[i] else "no gold place" if gold is None
                     else verdict(run, gold, tokens))
            counts[kind][found] += 1
            shown |= found in ("elsewhere", "empty", "lost")
        if shown and args.show > 0:
            args.show -= 1
            print(f"{marked[i]}\n{text}\n")
    print(f"{other} of {len(read)} translations differ from that of the bare sentence")
    others = ("lost", "other text", "no gold place")
    print(f"\n| elements | with a gold place | {' | '.join(VERDICTS + others)} |\n| --- |{' --- |' * (len(VERDICTS + others) + 1)}")
    for kind, of_kind in sorted(counts.items()):
        total = sum(of_kind[one] for one in VERDICTS)
        shares = [f"{100 * of_kind[one] / max(total, 1):.1f} %" for one in VERDICTS] + [str(of_kind[one]) for one in others]
        print(f"| {kind} | {total} | {' | '.join(shares)} |")


def clock(seconds):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},000"


def documents(read):
    """These sentences as documents: Markdown and HTML with elements and code, subtitles, messages."""
    def marked(open_code, close_code, bold):
        for number, one in enumerate(read):
            text = CODE.sub(lambda code: open_code + code[0][1:-1].replace("<", "") + close_code, one.written())
            yield re.sub(r"^(\w+)", bold, text) if number % 2 else text
    plain = [re.sub("[`\"<>&\\\\]", "", one.written()) for one in read]
    yield "markdown", "\n\n".join(marked("`", "`", r"**\1**")) + "\n"
    yield "html", "\n".join(f"<p>{text}</p>" for text in marked("<code>", "</code>", r"<b>\1</b>")) + "\n"
    yield "srt", "".join(f"{i + 1}\n{clock(3 * i)} --> {clock(3 * i + 2)}\n{text}\n\n" for i, text in enumerate(plain))
    yield "po", 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n' + "".join(
        f'msgid "{text}"\nmsgstr ""\n\n' for text in dict.fromkeys(plain))


def user_seconds(command, text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, input=text, stdout=subprocess.DEVNULL, check=True, text=True, encoding="utf-8")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure_times(args):
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in args.files]
    read = [one for text in texts for one in sentences(text)][:args.sentences]
    short = ["--beam", "1", *(f"--set=decoding.{key}" for key in ("max_length_extra=0", "max_length_ratio=0.1"))]
    print("| format | sentences | KiB | translated | read and written | share |\n| --- | --- | --- | --- | --- | --- |")
    for name, text in documents(read):
        whole = [args.heed, "-q", "translate", args.model, "--document", name, *args.option]
        cheap = [args.heed, "-q", "translate", args.times, "--document", name, *short]
        word = dict(documents([Sentence("one.")]))[name]
        seconds = [statistics.median(user_seconds(command, text) - user_seconds(command, word) for _ in range(times))
                   for command, times in ((whole, 1), (cheap, 5))]
        print(f"| {name} | {len(read)} | {len(text.encode()) / 1024:.0f} | {seconds[0]:.1f} s | {seconds[1]:.2f} s | "
              f"{100 * seconds[1] / seconds[0]:.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--show", type=int, default=0, help="print so many paragraphs that differ")
    parser.add_argument("--option", action="append", default=[], help="of heed translate, such as --option=--beam=1")
    parser.add_argument("--bitext", nargs=2, type=pathlib.Path, help="parallel text of the model's languages: measure places")
    parser.add_argument("--sentences", type=int, default=1000, help="with --bitext: how many are drawn, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--eflomal", default="eflomal-align", help="its program")
    parser.add_argument("--times", help="a small model: measure times")
    args = parser.parse_args()
    if args.times:
        measure_times(args)
        return

    def translate(text):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".md") as file:
            file.write(text)
            file.flush()
            command = [args.heed, "-q", "translate", args.model, file.name, "--document", "markdown", *args.option]
            result = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
        if result.returncode != 0:
            sys.exit(f"inline_code.py: {' '.join(command)} failed")
        return result.stdout

    if args.bitext:
        measure_places(args, translate)
        return
    counts, marks = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    for path in args.files:
        text = path.read_text(encoding="utf-8")
        sources, targets = paragraphs(text), paragraphs(translate(text))
        if len(sources) != len(targets):
            counts["files with other paragraphs"] += 1
            continue
        for source, target in zip(sources, targets):
            if not CODE.search(source):
                continue
            before = counts["lost"] + counts["more"] + counts["glued"] + counts["apart"]
            compare(source, target, counts, marks)
            if args.show > 0 and counts["lost"] + counts["more"] + counts["glued"] + counts["apart"] > before:
                args.show -= 1
                print(f"{source}\n{target}\n")
    for name, count in counts.items():
        print(f"{name}: {count}")
    for kind, (source, target) in marks.items():
        print(f"{kind}: {source} in the source, {target} in the translation")


if __name__ == "__main__":
    main()
