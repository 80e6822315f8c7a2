"""The files that `heed train` leaves in a run's folder, read without heed: weights, configuration, pieces."""

import csv
import io
import json
import struct
from collections import defaultdict
from pathlib import Path

import numpy


def weights(path):
    """The tensors of a safetensors file by name, in double precision: 8 bytes of length, a header
    of JSON, the numbers."""
    data = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", name
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        numbers = numpy.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
        tensors[name] = numbers.astype(numpy.float64)
    return tensors


def _scalar(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text.strip('"'))


def config(path):
    """The resolved config.yaml as nested dictionaries. It is written by heed, one key a line and
    two spaces a level; lists of sections are left out."""
    root = {}
    open_sections = {0: root}  # by the indentation of their keys
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith("- ") or indent not in open_sections:
            continue
        key, _, value = line.strip().partition(":")
        section = open_sections[indent]
        open_sections = {level: open_sections[level] for level in open_sections if level <= indent}
        if value:
            section[key] = _scalar(value.strip())
        else:
            section[key] = open_sections[indent + 2] = {}
    return root


def fields(message):
    """The fields of a protocol buffer: (number, bytes or integer)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(key & 7) or varint()
        yield key >> 3, message[at : at + size]
        at += size


def pieces(path):
    """The id of each piece of a SentencePiece model: field 1 of the model repeats the pieces in the
    order of their ids, and field 1 of a piece is its text."""
    model = Path(path).read_bytes()
    texts = [dict(fields(piece))[1].decode() for number, piece in fields(model) if number == 1]
    return {text: number for number, text in enumerate(texts)}


def attention_table(text):
    """The long form of `heed attention`: (sentence, layer, head) -> [target, source] weights, and
    (sentence) -> the pieces of both sides."""
    numbers, labels = defaultdict(dict), {}
    for row in csv.DictReader(io.StringIO(text)):
        target, source = int(row["target_position"]), int(row["source_position"])
        sentence = int(row["sentence"])
        key = (sentence, int(row["layer"]), int(row["head"]))
        numbers[key][target, source] = float(row["weight"])
        targets, sources = labels.setdefault(sentence, ({}, {}))
        targets[target], sources[source] = row["target_token"], row["source_token"]
    maps = {}
    for key, entries in numbers.items():
        rows, columns = (1 + max(place[side] for place in entries) for side in (0, 1))
        assert len(entries) == rows * columns, key
        maps[key] = numpy.array([[entries[r, c] for c in range(columns)] for r in range(rows)])
    return maps, {
        sentence: ([t[i] for i in sorted(t)], [s[i] for i in sorted(s)])
        for sentence, (t, s) in labels.items()
    }
