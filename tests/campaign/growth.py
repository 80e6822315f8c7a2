#!/usr/bin/env python3
"""Costs that grow faster than their input: each text that a command reads is doubled, and so may its costs be, no more.

    python3 tests/campaign/growth.py                     every row of the table
    python3 tests/campaign/growth.py --quick             some of them, drawn anew at each call
    python3 tests/campaign/growth.py --only translate    rows whose name has this text in it

A row is a command and a form of text that has once been, or could be, slow: one long word, tags that never end, terms
that begin alike. Its text doubles until the command takes a third of a second longer than with a small one, or the text
has 4 MiB. Then the processor's time and the memory of that text and of half of it are compared, each without what the
small text takes. Where a ratio is above its bound, the text is doubled once more, and the medians of three decide over
both doublings: what really grows with the square still does so there, and what a cache no longer holds, or another
program on the machine, has its effect once.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys

import process
import references
import table
import toy

MOST_TIME, MOST_MEMORY = 2.3, 2.1
ENOUGH, LEAST = 0.25, 0.1       # seconds beyond those of a small text: the texts are long enough; a ratio says something
ENOUGH_MEMORY = 24 << 20        # bytes beyond those of a small text from which a ratio says something
SMALL, FIRST, LONGEST = 1 << 6, 1 << 14, 1 << 22
HANGING = 60                    # seconds of the processor
QUICK = 12
# Few steps of decoding, so that what a row measures is the reading.
FEW = ("--beam", "1", "--set", "decoding.max_length_ratio=0.1", "--set", "decoding.max_length_extra=0")


def repeated(piece):
    """n bytes of text."""
    return lambda n: piece * max(1, n // len(piece.encode("utf-8", errors="surrogateescape")))


def counted(form, between="", first="", last=""):
    """n bytes of items that have a number each."""
    def text(n):
        pieces, size, number = [first], len(first) + len(last), 0
        while size < n:
            pieces.append(form.format(number))
            size += len(pieces[-1]) + len(between)
            number += 1
        return first + between.join(pieces[1:]) + last
    return text


def around(first, middle, last):
    return lambda n: first + middle(n) + last


def nested(begin, end, middle="a b"):
    return lambda n: begin * (n // (len(begin) + len(end))) + middle + end * (n // (len(begin) + len(end)))


def lines(words):
    """n bytes of lines of words, drawn by a fixed seed."""
    def text(n):
        draw, out, size = random.Random(5), [], 0
        while size < n:
            out.append(" ".join(draw.choices(words, k=draw.randint(2, 8))))
            size += len(out[-1]) + 1
        return "\n".join(out) + "\n"
    return text


NUMBERED = counted("w{}", " ")
# What one line of text may be.
LINES = {
    "one word": repeated("a"),
    "words": repeated("a b ab "),
    "different words": NUMBERED,
    "unknown letters": repeated("ж"),
    "marks on a letter": repeated("\u0301"),
    "invisible characters": repeated("\u200b"),
    "tabs": repeated("\t"),
    "digits": repeated("7"),
    "numbers": counted("{}.5", " "),
    "dots": repeated("."),
    "quotes": repeated("«\""),
    "broken UTF-8": repeated("\udcff"),
    "Chinese": repeated("我们"),
    "a period of two": repeated("a b "),
    "lines": lines(toy.WORDS),
}
# What a line may have that --keep knows.
KEPT = {
    "addresses": repeated("a@b.cd "), "at signs": repeated("a@"), "dots and at": repeated("a.@"),
    "pages": repeated("http://a.b/c "), "colons and slashes": repeated("http://"), "www": repeated("www."),
    "numbers": repeated("1,000.5 "), "one number": repeated("1."), "signs": repeated("+-1"),
    "braces": repeated("{"), "braces and letters": repeated("{a"), "percent": repeated("%"), "percents": repeated("%s %(a"),
    "dollars": repeated("${"), "brackets": repeated("<%"),
}
MARKUP = {
    "tags that never end": repeated("<b a "), "less than": repeated("<"), "nested tags": nested("<b>", "</b>"),
    "tags never closed": repeated("<b>"), "ends of nothing": repeated("</b>"), "tags with text": repeated("<b>a</b> "),
    "quotes that never end": repeated("<a href='"), "attributes": lambda n: "<b " + repeated("a=1 ")(n) + ">a</b>",
    "different attributes": lambda n: "<b " + counted("a{0}={0}", " ")(n) + ">a</b>",
    "comments that never end": repeated("<!--"), "comments": repeated("<!-- a -->"), "references": repeated("&amp;"),
    "references that never end": repeated("&a"), "ampersands": repeated("&"), "numeric references": repeated("&#65;"),
    "instructions": repeated("<?"), "sections": repeated("<![CDATA["), "names": repeated("<a:"),
    "empty tags": repeated("<br>"), "interlaced tags": repeated("<b><i>a</b>b</i> "), "different tags": counted("<x{0}>a</x{0}>"),
    "different open tags": counted("<x{}>"),
}
HTML = {
    **{what: around("<p>", text, "</p>") for what, text in MARKUP.items()},
    "paragraphs": repeated("<p>a b.</p>"), "nested blocks": nested("<div>", "</div>"), "lists": repeated("<ul><li>a"),
    "tables": repeated("<table><tr><td>a"), "scripts": repeated("<script>a</script>"), "a script": around("<script>", repeated("<"), "</script>"),
    "selects": repeated("<select>"), "forms": repeated("<form><p>"), "formatting": repeated("<b><p>"), "links": repeated("<a><div>"),
    "text fields": repeated("<textarea>"), "templates": repeated("<template>"), "svg": repeated("<svg>"), "frames": repeated("<frameset>"),
    "ruby": repeated("<ruby>a<rt>b"), "languages": repeated("<p lang=de>a<i translate=no>b</i>"), "breaks": repeated("a<br>"),
    "nul": repeated("\0"), "document types": repeated("<!DOCTYPE "), "a title": around("<title>", repeated("a "), "</title>"),
    "buttons": repeated("<button>"), "nobr": repeated("<nobr>"), "math": repeated("<math><mi>"),
}
MARKDOWN = {
    "brackets": repeated("["), "ends of links": repeated("]("), "links": repeated("[a](b) "), "pictures": repeated("!["), "stars": repeated("*"),
    "stars and letters": repeated("*a "), "two stars": repeated("**a "), "mixed emphasis": repeated("*a_ "), "underlines": repeated("_"),
    "backticks": repeated("`"), "growing backticks": lambda n: " ".join("`" * k for k in range(1, int((2 * n) ** 0.5))), "code": repeated("`a` "),
    "quotes": repeated("> "), "nested quotes": lambda n: "".join(">" * 50 + " a\n" for _ in range(n // 53)), "lists": repeated("- a\n"), "nested items": repeated("- "),
    "numbers": repeated("1. a\n"), "headings": repeated("# a\n"), "hashes": repeated("#"), "underlined": repeated("a\n===\n"), "rules": repeated("---\n"),
    "tables": repeated("|a|b|\n"), "a table": around("|a|b|\n|-|-|\n", repeated("|a|b|\n"), ""), "a wide table": lambda n: "|a" * (n // 8) + "|\n" + "|-" * (n // 8) + "|\n" + "|b" * (n // 8) + "|\n",
    "a narrow row": lambda n: "|a" * (n // 8) + "|\n" + "|-" * (n // 8) + "|\n" + "|b|\n" * (n // 8),
    "definitions": counted("[a{0}]: /b{0}", "\n"), "uses of definitions": lambda n: counted("[a{0}]: /b{0}", "\n")(n // 2) + "\n\n" + counted("[a{0}] ", "")(n // 2),
    "a long label": around("[", repeated("a"), "]: b\n\n[a]"), "footnotes": counted("a[^{0}]\n\n[^{0}]: b", "\n\n"), "tags": repeated("<b a "), "less than": repeated("<"), "html": repeated("<div>\n"),
    "links in brackets": repeated("<http://a> "), "escapes": repeated("\\"), "escaped": repeated("\\*"), "references": repeated("&a"), "front matter": around("---\n", counted("k{}: a", "\n"), "\n---\na\n"),
    "front matter that never ends": around("---\n", repeated("a: b\n"), ""), "fences": repeated("```\n"), "growing fences": lambda n: "\n".join("`" * k for k in range(3, int((2 * n) ** 0.5))), "indented": repeated("    a\n"), "words": repeated("a "),
    "blank lines": repeated("\n"), "one word": repeated("a"), "dollars": repeated("$"), "dollars and letters": repeated("$a "), "braces": repeated("{"), "templates": repeated("{{"), "tildes": repeated("~~a "), "paragraphs": repeated("a b.\n\n"),
    "open parentheses": lambda n: "[a](" + "(" * n, "titles": repeated("[a](b \""), "carets": repeated("[^"), "addresses": repeated("a@b.c "), "www": repeated("www.a.b "), "colons": repeated("::: a\n"), "parentheses": repeated("(" ), "comments": repeated("<!--"), "link in link": nested("[", "](b)"),
    "admonitions": repeated("!!! a\n    b\n"), "code in code": repeated("`` ` "), "angle links": repeated("[a](<"),
}
HEADER = 'msgid ""\nmsgstr "Language: de\\nPlural-Forms: nplurals=2; plural=n != 1;\\n"\n\n'


def cues(form, first=""):
    return lambda n: first + "".join(form.format(k) for k in range(n // len(form)))


DOCUMENTS = {
    "html": HTML,
    "md": MARKDOWN,
    "srt": {"cues": cues("{}\n00:00:00,000 --> 00:00:01,000\na b\n\n"), "a long cue": around("1\n00:00:00,000 --> 00:00:01,000\n", repeated("a b\n"), "\n"),
            "a long line": around("1\n00:00:00,000 --> 00:00:01,000\n", repeated("a b "), "\n"), "tags": around("1\n00:00:00,000 --> 00:00:01,000\n", repeated("<b a "), "\n"),
            "nested tags": around("1\n00:00:00,000 --> 00:00:01,000\n", nested("<i>", "</i>"), "\n"), "braces": around("1\n00:00:00,000 --> 00:00:01,000\n", repeated("{\\"), "\n"),
            "half sentences": cues("{}\n00:00:00,000 --> 00:00:01,000\na b,\n\n"), "arrows": around("1\n00:00:00,000 --> 00:00:01,000\n", repeated("-->"), "\n"),
            "numbers": repeated("1\n"), "dashes": around("1\n00:00:00,000 --> 00:00:01,000\n", repeated("- a\n"), "\n")},
    "vtt": {"cues": cues("{}\n00:00:00.000 --> 00:00:01.000\na b\n\n", "WEBVTT\n\n"), "voices": around("WEBVTT\n\n00:00.000 --> 00:01.000\n", repeated("<v a>b"), "\n"),
            "classes": around("WEBVTT\n\n00:00.000 --> 00:01.000\n", around("<c", repeated(".a"), ">b"), "\n"), "notes": around("WEBVTT\n\nNOTE ", repeated("a\n"), "\n"),
            "tags": around("WEBVTT\n\n00:00.000 --> 00:01.000\n", repeated("<b a "), "\n"), "times": around("WEBVTT\n\n00:00.000 --> 00:01.000\n", repeated("<00:00:00.500>a"), "\n"),
            "half sentences": cues("{}\n00:00:00.000 --> 00:00:01.000\na b,\n\n", "WEBVTT\n\n")},
    "sbv": {"cues": cues("0:00:00.000,0:00:01.000\na b{}\n\n"), "a long cue": around("0:00:00.000,0:00:01.000\n", repeated("a b\n"), "\n")},
    "sub": {"cues": cues("{{0}}{{9}}a b{}\n"), "bars": around("{0}{9}", repeated("a|"), "\n"), "braces": around("{0}{9}", repeated("{y:"), "\n")},
    "ass": {"events": cues("Dialogue: 0,0:00:00.00,0:00:01.00,D,,0,0,0,,a b{}\n", "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"),
            "braces": around("[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:00.00,0:00:01.00,D,,0,0,0,,", repeated("{\\b1}a"), "\n"),
            "open braces": around("[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:00.00,0:00:01.00,D,,0,0,0,,", repeated("{"), "\n"),
            "columns": lambda n: "[Events]\nFormat: " + counted("c{}", ", ")(n // 2) + ", Text\nDialogue: " + "a," * (n // 8) + "b\n", "sections": repeated("[a]\n")},
    "csv": {"rows": around("a,b\n", repeated("a b,c\n"), ""), "a cell": around('a,b\n"', repeated("a "), '",c\n'), "quotes": around("a,b\n", around('"', repeated('""'), '"'), ",c\n"),
            "a cell that never ends": around('a,b\n"', repeated("a\n"), ""), "columns": lambda n: counted("c{}", ",")(n // 2) + "\n" + "a," * (n // 8) + "a\n", "commas": repeated(","),
            "lines in a cell": around('a,b\n"', repeated("a\n"), '",c\n'), "quotes that end and begin": around("a,b\n", repeated('"a",'), "\n"), "ends of lines": repeated("a\r\n")},
    "tsv": {"rows": around("a\tb\n", repeated("a b\tc\n"), ""), "columns": lambda n: counted("c{}", "\t")(n // 2) + "\n" + "a\t" * (n // 8) + "a\n"},
    "json": {"nested lists": around('{"a":"b","c":', nested("[", "]", '"a"'), "}"), "nested objects": around('{"a":"b","c":', nested('{"d":', "}", '"b"'), "}"), "strings": around("[", counted('{{"a":"a b{}"}}', ","), "]"),
             "keys": around('{"a":"b",', counted('"k{}":"a b"', ","), "}"), "a long key": around('{"a":"b","', repeated("k"), '":"a"}'), "a long text": around('{"a":"', repeated("a b "), '"}'),
             "escapes": around('{"a":"', repeated("\\u0061 "), '"}'), "surrogates": around('{"a":"', repeated("\\ud83d\\ude00 "), '"}'), "backslashes": around('{"a":"', repeated("\\\\ "), '"}'),
             "numbers": around('{"a":"b","c":[', repeated("1,"), "1]}"), "one number": around('{"a":"b","c":', repeated("1"), "}"), "the same key": around("{", repeated('"a":"b",'), '"a":"b"}'), "open": repeated("["), "blanks": around('{"a":"b"', repeated(" "), "}")},
    "jsonl": {"lines": repeated('{"a":"b c"}\n'), "keys": around('{"a":"b",', counted('"k{}":"a b"', ","), "}\n"), "nested": around('{"a":"b","c":', nested('{"a":', "}", '"b"'), "}\n"), "different keys": counted('{{"a":"b","k{}":"a"}}', "\n")},
    "po": {"messages": cues('msgid "a b{}"\nmsgstr ""\n\n'), "a long message": around('msgid ""\n', repeated('"a b "\n'), 'msgstr ""\n'), "a long line": around('msgid "', repeated("a b "), '"\nmsgstr ""\n'),
           "comments": around("", repeated("# a\n"), 'msgid "a"\nmsgstr ""\n'), "plurals": cues('msgid "a{0}"\nmsgid_plural "b{0}"\nmsgstr[0] ""\nmsgstr[1] ""\n\n', HEADER), "escapes": around('msgid "', repeated("\\n"), '"\nmsgstr ""\n'),
           "formats": around('#, c-format\nmsgid "', repeated("%s "), '"\nmsgstr ""\n'), "many forms": lambda n: 'msgid "a"\nmsgid_plural "b"\n' + counted('msgstr[{}] ""', "\n")(n), "obsolete": repeated('#~ msgid "a"\n#~ msgstr ""\n')},
    "tmx": {"units": around('<tmx version="1.4"><header srclang="en"/><body>', repeated('<tu><tuv xml:lang="en"><seg>a b</seg></tuv></tu>'), "</body></tmx>"),
            "inline": around('<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>', repeated('<ph/>a '), "</seg></tuv></tu></body></tmx>"),
            "variants": around('<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a</seg></tuv>', counted('<tuv xml:lang="x{}"><seg>a</seg></tuv>'), "</tu></body></tmx>")},
    "xlf": {"units": around('<xliff version="1.2"><file source-language="en" target-language="de"><body>', cues('<trans-unit id="{}"><source>a b</source></trans-unit>'), "</body></file></xliff>"),
            "inline": around('<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1"><source>', counted('<x id="{}"/>a '), "</source></trans-unit></body></file></xliff>"),
            "nested": around('<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1"><source>', nested('<g id="1">', "</g>"), "</source></trans-unit></body></file></xliff>"),
            "segments": around('<xliff version="2.0" srcLang="en" trgLang="de" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="u">', repeated("<segment><source>a b</source></segment>"), "</unit></file></xliff>"),
            "data": around('<xliff version="2.0" srcLang="en" trgLang="de" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="u"><originalData>', counted('<data id="d{}">a</data>'), '</originalData><segment><source>a <ph id="1" dataRef="d1"/></source></segment></unit></file></xliff>')},
    "xml": {**{what: around("<r>", text, "</r>") for what, text in MARKUP.items() if what in
               ("nested tags", "tags with text", "different tags", "different attributes", "comments", "references", "numeric references", "empty tags", "sections", "tags that never end")},
            "entities": around("<!DOCTYPE r [", counted('<!ENTITY e{} "a">'), "]><r>&e1;</r>"), "name spaces": around("<r ", counted('xmlns:a{0}="b{0}"', " "), "/>"), "nested name spaces": lambda n: "".join(f'<a xmlns:x{k}="b">' for k in range(n // 40)) + "a" + "</a>" * (n // 40)},
    "txt": {**LINES, "paragraphs": repeated("a b.\n\n"), "hard breaks": repeated("a b\n"), "sentences": repeated("A b. "), "abbreviations": repeated("z. B. "), "blank lines": repeated("\n"), "exclamations": repeated("a! "), "open quotes": repeated("(\"a. ")},
}
# What a format needs to be translated.
OPTIONS = {"csv": ["--column", "1"], "tsv": ["--column", "1"], "json": ["--column", "a"], "jsonl": ["--column", "a"], "tmx": ["--target-language", "de"]}
YAML = {
    "keys": counted("k{}: 1", "\n"), "a long key": repeated("k"), "a long value": around("name: ", repeated("a"), ""), "lists": repeated("- a\n"), "nested lists": repeated("["), "nested maps": repeated("{a: "),
    "comments": repeated("# a\n"), "anchors": counted("k{0}: &a{0} 1", "\n"), "aliases": around("a: &a 1\nb: [", repeated("*a,"), "1]"), "indentation": lambda n: "\n".join(" " * k + "a:" for k in range(int((2 * n) ** 0.5))), "quotes": around('name: "', repeated("\\n"), '"'), "documents": repeated("---\n"), "corpora": around("data: {train: [", repeated("{source: a, target: b}, "), "]}"),
    "the same key": repeated("name: a\n"), "blocks": around("name: |\n", repeated("  a\n"), ""), "tags": repeated("!a "), "questions": repeated("? "), "dashes": repeated("- "),
}
# Terms of a glossary, and the text in which they are found.
GLOSSARIES = {
    "a long term": (lambda n: repeated("a")(n) + "\tb\n", repeated("a b ")), "a term in a long line of it": (lambda n: repeated("a")(n) + "\tb\n", repeated("a")),
    "a term of many words": (lambda n: repeated("a ")(n).strip() + "\tb\n", repeated("a ")), "a term of many words, lines": (lambda n: repeated("a ")(n).strip() + "\tb\n", lines(["a"])),
    "a long target": (lambda n: "a\t" + repeated("b")(n) + "\n", lines(toy.WORDS)), "a target of many words": (lambda n: "a\t" + repeated("b ")(n).strip() + "\n", lines(toy.WORDS)), "many targets": (lambda n: "a\t" + counted("b{}", "\t")(n) + "\n", lines(toy.WORDS)),
    "terms": (counted("w{0}\tv{0}", "\n"), lines(toy.WORDS)), "terms that all are there": (counted("w{0}\tv{0}", "\n"), counted("w{}", "\n")), "terms of one line": (counted("w{0}\tv{0}", "\n"), NUMBERED),
    "terms that begin alike": (counted("a b {0}\tv{0}", "\n"), repeated("a b ")), "terms that begin with each other": (lambda n: "\n".join("a " * k + "a\tb" for k in range(int(n ** 0.5))) + "\n", repeated("a ")),
    "terms that end alike": (counted("{0} a b\tv{0}", "\n"), repeated("a b ")), "the same term": (counted("a\tv{0}", "\n"), lines(toy.WORDS)), "tabs": (lambda n: "a" + "\t" * n + "b\n", lines(toy.WORDS)), "comments": (repeated("# a\n"), lines(toy.WORDS)),
    "letters": (counted("w{0}\tv{0}", "\n"), repeated("w")),
}


class Place:
    """Where a row's texts and products are, and the models."""

    def __init__(self, work, number):
        self.folder = work / f"growth-{os.getpid()}-{number}"
        self.model = references.training(work, "transformer_best_accumulate").run
        self.rnn = references.training(work, "rnn").run
        self.corpora = work / "corpora"

    def text(self, name, text):
        path = self.folder / name
        path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
        return path

    def out(self, name):
        return self.folder / name


def ascii_lines(text, count=None):
    """As many lines as another text has."""
    return "a b\n" * (text.count("\n") if count is None else count)


def rows():
    """(name, arguments): arguments(place, n) writes texts of about n bytes and gives the command."""
    def add(name, arguments):
        table_.append((name, arguments))
    table_ = []

    for what, text in LINES.items():
        add(f"translate, {what}", lambda p, n, t=text: ["translate", p.model, p.text("in", t(n) + "\n"), *FEW])
        add(f"translate --flags --alignment --json, {what}", lambda p, n, t=text: ["translate", p.rnn, p.text("in", t(n) + "\n"), "--flags", "--alignment", "--json", "--replace-unknown", "--scores"])
        add(f"translate --prefix, {what}", lambda p, n, t=text: ["translate", p.model, p.text("in", ascii_lines(t(n) + "\n")), "--prefix", p.text("prefix", t(n) + "\n")])
        add(f"translate --prefix-column, {what}", lambda p, n, t=text: ["translate", p.model, p.text("in", "a b\t" + t(n) + "\n"), "--prefix-column"])
        add(f"evaluate --words, {what}", lambda p, n, t=text: ["evaluate", "--source", p.text("in", t(n) + "\n"), "--hypothesis", p.text("hyp", t(n) + "\n"), "--reference", p.text("ref", t(n) + "\n"), "--words"])
        add(f"score, {what}", lambda p, n, t=text: ["score", p.model, p.text("in", t(n) + "\n"), p.text("out", t(n) + "\n"), "--flags"])
        add(f"clean, {what}", lambda p, n, t=text: ["clean", p.text("in", t(n) + "\n"), p.text("out", t(n) + "\n"), "--remove", "duplicates,empty,identical,ratio,script,encoding,copied,repetition,numbers,language,words", "-o", p.out("clean")])
        add(f"clean, {what} beside lines", lambda p, n, t=text: ["clean", p.text("in", t(n) + "\n"), p.text("out", ascii_lines(t(n) + "\n")), "--remove", "duplicates,empty,identical,ratio,script,encoding,copied,repetition,numbers,language,words", "-o", p.out("clean")])
        for algorithm in ("unigram", "bpe"):
            add(f"vocab --algorithm {algorithm}, {what}", lambda p, n, t=text, a=algorithm: ["vocab", p.text("in", lines(toy.WORDS)(4096) + t(n) + "\n"), "--size", 60, "--algorithm", a, "-o", p.out("spm")])
        add(f"noise, {what}", lambda p, n, t=text: ["noise", p.text("in", t(n) + "\n"), "--typos", "0.1"])
        add(f"lengths, {what}", lambda p, n, t=text: ["lengths", "--hypothesis", f"a={p.text('hyp', t(n) + chr(10))}", "--source", p.text("in", t(n) + "\n"), "--reference", p.text("ref", t(n) + "\n")])
        add(f"doctor, {what}", lambda p, n, t=text: ["doctor", p.text("in", t(n) + "\n"), p.text("out", t(n) + "\n")])
        add(f"init, {what}", lambda p, n, t=text: ["init", p.text("in", lines(toy.WORDS)(4096) + t(n) + "\n"), p.text("out", lines(toy.WORDS)(4096) + t(n) + "\n"), "-o", p.out("made.yaml"), "--data", p.out("parts"), "--force"])
        add(f"shortlist, {what}", lambda p, n, t=text: ["shortlist", p.model, p.text("in", t(n) + "\n"), p.text("out", t(n) + "\n"), "-o", p.out("list")])
        add(f"align, {what}", lambda p, n, t=text: ["align", p.rnn, "--source", p.text("in", "a b\n" + t(n) + "\n"), "--target", p.text("out", "a b\n" + t(n) + "\n")])
        add(f"contrast, {what}", lambda p, n, t=text: ["contrast", p.model, "--source", p.text("in", "a b\n" + t(n) + "\n"), "--right", p.text("right", "a b\n" + t(n) + "\n"), "--wrong", p.text("wrong", "b a\n" + t(n) + "\n")])
    for keep in ("urls", "emails", "numbers", "placeholders"):
        for what, text in {**KEPT, **LINES}.items():
            add(f"translate --keep {keep}, {what}", lambda p, n, t=text, k=keep: ["translate", p.model, p.text("in", t(n) + "\n"), "--keep", k, *FEW])
    for what, text in MARKUP.items():
        for kind in ("html", "xml"):
            add(f"translate --markup {kind}, {what}", lambda p, n, t=text, k=kind: ["translate", p.model, p.text("in", t(n) + "\n"), "--markup", k, *FEW])
    for ending, forms in DOCUMENTS.items():
        for what, text in forms.items():
            add(f"translate --document {ending}, {what}", lambda p, n, t=text, e=ending: ["translate", p.model, p.text(f"in.{e}", t(n)), "--document", e, *FEW, *OPTIONS.get(e, [])])
    for what, (terms, text) in GLOSSARIES.items():
        add(f"translate --glossary, {what}", lambda p, n, g=terms, t=text: ["translate", p.model, p.text("in", t(min(n, 1 << 14)) + "\n"), "--glossary", p.text("terms", g(n))])
        add(f"translate --glossary inline, {what}", lambda p, n, g=terms, t=text: ["translate", p.model, p.text("in", t(min(n, 1 << 14)) + "\n"), "--glossary", p.text("terms", g(n)), "--set", "decoding.glossary_inline=true"])
        for whole in ("true", "false"):
            add(f"evaluate --glossary, whole words {whole}, {what}", lambda p, n, g=terms, t=text, w=whole: ["evaluate", "--set", f"decoding.glossary_whole_words={w}", "--source", p.text("in", t(n) + "\n"), "--hypothesis", p.text("hyp", t(n) + "\n"),
                                                                                    "--reference", p.text("ref", t(n) + "\n"), "--glossary", p.text("terms", g(n))])
    for what, text in {"links": repeated("0-0 "), "different links": counted("{0}-{0}", " "), "possible": repeated("0?0 "), "a number": repeated("9"), "dashes": repeated("-")}.items():
        add(f"align --gold, {what}", lambda p, n, t=text: ["align", p.rnn, "--source", p.text("in", "a b\n"), "--target", p.text("out", "a b\n"), "--gold", p.text("gold", t(n) + "\n")])
    add("align --gold, lines", lambda p, n: ["align", p.rnn, "--source", p.text("in", "a b\n" * (n // 8)), "--target", p.text("out", "a b\n" * (n // 8)), "--gold", p.text("gold", "0-0 1-1\n" * (n // 8))])
    for what, text in YAML.items():
        add(f"config, YAML, {what}", lambda p, n, t=text: ["config", p.text("run.yaml", t(min(n, 1 << 19)))])
    event = {"event": "train", "update": 1, "epoch": 0, "loss": 1.0, "learning_rate": 0.1, "seconds": 1.0}
    add("runs, metrics", lambda p, n: ["runs", run_with_metrics(p, n, lambda k: json.dumps({**event, "update": k})), "--curves"])
    for what, text in {"one answer": lambda n: "lab = 1\na = " + repeated("7")(n), "answers": lambda n: "lab = 1\n" + counted("a{} = 1", "\n")(n), "comments": lambda n: "lab = 1\n" + repeated("#")(n), "equals": lambda n: "lab = 1\na " + repeated("=")(n)}.items():
        add(f"course check, {what}", lambda p, n, t=text: ["course", "check", p.text("answers.txt", t(n) + "\n").parent])
    add("heads --separators", lambda p, n: ["heads", p.model, "--source", p.corpora / "valid.src", "--target", p.corpora / "valid.tgt", "--separators", counted("w{}", ",")(min(n, 1 << 16))])
    add("vocab --symbols", lambda p, n: ["vocab", p.corpora / "train.src", "--size", 20000, "--symbols", counted("<s{}>", ",")(min(n, 1 << 16)), "-o", p.out("spm")])
    add("translate --set decoding.forbid", lambda p, n: ["translate", p.model, p.corpora / "test.src", "--set", "decoding.forbid=[" + repeated("a, ")(min(n, 1 << 16)) + "a]"])
    add("translate --n-best, lines", lambda p, n: ["translate", p.model, p.text("in", lines(toy.WORDS)(n)), "--n-best", "3", "--beam", "3"])
    return table_


def run_with_metrics(place, n, line):
    folder = place.folder / "run"
    if not folder.exists():
        shutil.copytree(place.model, folder)
    size, number, out = 0, 0, []
    while size < n:
        number += 1
        out.append(line(number))
        size += len(out[-1])
    (folder / "metrics.jsonl").write_text("\n".join(out) + "\n", encoding="utf-8")
    return folder


class Cost:
    def __init__(self, seconds, memory, status, last):
        self.seconds, self.memory, self.status, self.last = seconds, memory, status, last


def measured(arguments, folder):
    """The processor's time of a command and its children, and the most memory of one of them."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_CPU, (HANGING, HANGING + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open(folder / "console", "wb") as console:
        child = subprocess.Popen([str(toy.HEED), "-q", *map(str, arguments)], env=process.environment({"OMP_NUM_THREADS": 1}),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=console, start_new_session=True, preexec_fn=prepare)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    said = (folder / "console").read_bytes()[-400:].decode(errors="replace").strip().splitlines()
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, child.returncode, said[-1] if said else "")


def time_ratio(less, more, base, doublings):
    """How much the time grew in each doubling, without that of a small text where this is a part that counts; 0 where
    the time is hardly more than that."""
    if more - base <= LEAST:
        return 0.0
    begun = base if base > less / 10 else 0
    return ((more - begun) / max(less - begun, LEAST / MOST_TIME)) ** (1 / doublings)


def memory_ratio(less, more, base, doublings):
    """The same of memory. That of a small text is a part of both: what it had a program uses again."""
    return (more / less) ** (1 / doublings) if more - base > ENOUGH_MEMORY else 0.0


class Row:
    def __init__(self, name, arguments, work, number):
        self.name, self.arguments = name, arguments
        self.place = Place(work, number)
        self.complaints, self.shown = [], ""

    def cost(self, n, times=1):
        shutil.rmtree(self.place.folder, ignore_errors=True)
        self.place.folder.mkdir(parents=True)
        command = self.arguments(self.place, n)
        costs = [measured(command, self.place.folder) for _ in range(times)]
        return Cost(statistics.median(cost.seconds for cost in costs), statistics.median(cost.memory for cost in costs), costs[0].status, costs[0].last)

    def go(self):
        base, n = self.cost(SMALL), FIRST
        more = self.cost(n)
        while n < LONGEST and more.seconds - base.seconds < ENOUGH:
            n *= 2 if more.seconds - base.seconds > ENOUGH / 8 else 8
            more = self.cost(min(n, LONGEST))
        n = min(n, LONGEST)
        fewer = n // 2
        less = self.cost(fewer)
        time, memory = self.ratios(base, less, more, 1)
        if time > MOST_TIME or memory > MOST_MEMORY:
            n *= 2
            base, less, more = (self.cost(size, 3 if more.seconds < 5 else 1) for size in (SMALL, fewer, n))
            time, memory = self.ratios(base, less, more, 2)
        if more.status in (-signal.SIGXCPU, -signal.SIGKILL):
            self.complaints.append(f"no end within {HANGING} s for {n} bytes")
        elif more.status not in (0, 1, 2):
            self.complaints.append(f"exit status {more.status}: {more.last}")
        if time > MOST_TIME:
            self.complaints.append(f"time grows by {time:.2f}: {less.seconds:.2f} s for {fewer} bytes, {more.seconds:.2f} s for {n}, {base.seconds:.2f} s for few")
        if memory > MOST_MEMORY:
            self.complaints.append(f"memory grows by {memory:.2f}: {less.memory >> 20} MiB for {fewer} bytes, {more.memory >> 20} MiB for {n}, {base.memory >> 20} MiB for few")
        self.shown = (f"{n >> 10} KiB, {more.seconds - base.seconds:.2f} s, ratio {time:.2f}; {(more.memory - base.memory) / 2**20:.0f} MiB, ratio {memory:.2f}" +
                      (f"; {more.last[:150]}" if more.status else ""))
        if not self.complaints:
            shutil.rmtree(self.place.folder)

    @staticmethod
    def ratios(base, less, more, doublings):
        return (time_ratio(less.seconds, more.seconds, base.seconds, doublings),
                memory_ratio(less.memory, more.memory, base.memory, doublings))


def campaign(quick, seed, work, jobs=1, only="", say=print):
    """Returns Results whose rows are commands."""
    results = table.Results("growth")
    say(f"growth: seed {seed}")
    toy.write_corpora(work / "corpora")
    chosen = [row for row in rows() if only in row[0]]
    random.Random(seed).shuffle(chosen)
    if quick:
        chosen = chosen[:QUICK]

    def one(numbered):
        number, (name, arguments) = numbered
        row = Row(name, arguments, work, number)
        try:
            row.go()
        except Exception as error:  # a row that breaks is a finding, too
            row.complaints.append(f"{type(error).__name__}: {error}")
        results.add(name.split(",")[0], row.complaints, f"{name}, kept in {row.place.folder}")
        say(f"{name}: {row.shown}: " + ("; ".join(row.complaints) or "as promised"))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, enumerate(chosen)))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="some rows, drawn by the seed")
    parser.add_argument("--only", default="", help="rows whose name has this text in it")
    parser.add_argument("--jobs", type=int, default=1, help="rows at the same time")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--work", type=pathlib.Path, default=toy.ROOT / "build/campaign")
    args = parser.parse_args()
    results = campaign(args.quick, args.seed, args.work.resolve(), args.jobs, args.only, say=lambda text: print(text, flush=True))
    return table.end(results.rows(), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
