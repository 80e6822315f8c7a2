"""The promises about a run's folder: whole files, the same numbers as another's."""
import json
import re
import struct
import zlib

# Fields that tell how long something took; everything else in metrics.jsonl and summary.json is the same in each run.
TIMES = {"seconds", "left", "tokens_per_second", "waiting", "minutes"}
# Fields that tell of the process that ended the run: its command, and that a run which was killed while it translated the
# test set was complete already when it was resumed.
LAST_PROCESS = {"stop_reason", "provenance"}


class Damaged(Exception):
    pass


def tensors(path):
    """name -> (type, shape, bytes) of a safetensors file of heed, whose checksum is checked."""
    data = path.read_bytes()
    if len(data) < 8:
        raise Damaged(f"{path}: {len(data)} bytes")
    (length,) = struct.unpack("<Q", data[:8])
    text = data[8:8 + length]
    found = re.search(rb'"checksum":"crc32:([0-9a-f]{8})', text)
    if len(text) != length or not found:
        raise Damaged(f"{path}: its header is cut off or has no checksum")
    zeros = text[:found.start(1)] + b"0" * 8 + text[found.end(1):]
    if zlib.crc32(data[:8] + zeros + data[8 + length:]) != int(found[1], 16):
        raise Damaged(f"{path}: its checksum is wrong")
    body = data[8 + length:]
    header = json.loads(text)
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], tuple(entry["shape"]), body[slice(*entry["data_offsets"])])
            for name, entry in header.items()}


def weight_files(run):
    """model.safetensors and the best weights, by name."""
    return {path.name: path for path in [run / "model.safetensors", *(run / "checkpoints").glob("best-*.safetensors")]
            if path.exists()}


def checkpoints(run):
    """update -> path of the checkpoints that a run can go on from."""
    found = {}
    for path in (run / "checkpoints").glob("update-*.heed"):
        found[int(path.name[7:-5])] = path
    return found


def newest(run):
    return max(checkpoints(run), default=-1)


def events(run):
    """metrics.jsonl; a last line that is cut off is left out."""
    try:
        text = (run / "metrics.jsonl").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    whole = text[:text.rfind("\n") + 1]
    return [json.loads(line) for line in whole.splitlines()]


def without(fields, event):
    return {key: value for key, value in event.items() if key not in fields}


def last_update(run):
    return max((event["update"] for event in events(run) if event["event"] == "train"), default=0)


def left_over(run):
    return [str(path.relative_to(run)) for path in run.rglob("*.tmp.*")]


def damage(run):
    """The files that are torn in a folder that a process left at any moment: a list of complaints."""
    complaints = []
    for path in [*weight_files(run).values(), *checkpoints(run).values()]:
        try:
            tensors(path)
        except Damaged as error:
            complaints.append(str(error))
    try:
        events(run)
        summary = run / "summary.json"
        if summary.exists():
            json.loads(summary.read_text(encoding="utf-8"))
    except ValueError as error:
        complaints.append(f"{run}: JSON that is no JSON: {error}")
    return complaints


def difference(run, reference, aside=frozenset()):
    """In what a finished run differs from another: a list of complaints, empty where every bit is the same. Fields that
    are set `aside` may differ, besides those that tell times."""
    complaints = damage(run)
    if complaints:
        return complaints
    mine, other = weight_files(run), weight_files(reference)
    if mine.keys() != other.keys():
        complaints.append(f"files of weights: {sorted(mine)} instead of {sorted(other)}")
    for name in sorted(mine.keys() & other.keys()):
        first, second = tensors(mine[name]), tensors(other[name])
        differing = [key for key in sorted(first.keys() | second.keys()) if first.get(key) != second.get(key)]
        if differing:
            complaints.append(f"{name}: {len(differing)} of {len(second)} tensors differ, {differing[0]} first")
    first, second = ([without(TIMES | aside, event) for event in events(one)] for one in (run, reference))
    if first != second:
        at = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
        complaints.append(f"metrics.jsonl: {len(first)} events instead of {len(second)}, other from line {at + 1}")
    texts = [path.read_bytes() if path.exists() else None
             for path in (run / "test.hypothesis", reference / "test.hypothesis")]
    if texts[0] != texts[1]:
        complaints.append("test.hypothesis differs")
    summaries = [without(TIMES | LAST_PROCESS | aside, json.loads((one / "summary.json").read_text(encoding="utf-8")))
                 if (one / "summary.json").exists() else None for one in (run, reference)]
    if summaries[0] != summaries[1]:
        complaints.append(f"summary.json: {summaries[0]} instead of {summaries[1]}")
    if left_over(run):
        complaints.append(f"temporary files are left: {left_over(run)}")
    return complaints
