"""Plays heed, heed-bench, test_devices and reference.py for test_gpu.py: writes the files and prints the lines that they would, with numbers
that follow from the command. FAIL in the environment: a text; commands that have it fail."""
import json
import os
import pathlib
import sys

DOCTOR = """\
ok   heed         0.1.0
ok   LibTorch     2.11.0
ok   CPU          16 cores, fp32 900 GFLOP/s
ok   GPU          cuda:0
ok   sacrebleu    /somewhere/sacrebleu
"""
RANKS = """\
ok   ranks        2, met in 0.31 s, on cuda:0
ok   exchange     a gradient of 32 MB is summed and shared in 2 ms
"""
OPERATORS = """\
attention.causal                                          fp32   1.0e-07   1.0e-05  ok
loss.smoothed                                             bf16   3.0e-01   2.0e-02  FAILED: gradient of logits
2 rows, 1 FAILED
"""


def after(words, name):
    return words[words.index(name) + 1]


def values(words):
    """The values of --set; what follows from them decides the weights, as deterministic training does."""
    return dict(word.split("=", 1) for before, word in zip(words, words[1:]) if before == "--set")


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def train(words):
    made = values(words)
    loss = 4.0 if made["device"] == "cpu" else 4.001
    write(f"{made['output']}/summary.json", json.dumps({
        "validation_loss": loss, "updates": int(made.get("training.updates", 30)), "tokens_per_second": 900.5, "minutes": 0.7,
        "test": ["BLEU 41.50 (BP 0.985, nrefs:1|case:mixed)", "chrF2 60.10 (nrefs:1)"]}))
    other = "other" if "no-bits" in os.environ.get("ODD", "") and "again" in made["output"] else ""
    write(f"{made['output']}/model.safetensors", made.get("training.micro_batches", "1") + other)


def bench_train(words):
    lines = ["system,precision,tokens_per_s,waiting_%,forward_%,backward_%,optimizer_%"]
    for system in after(words, "--systems").split(","):
        speed = 900_000 if system.endswith("_small_batches") else 1_000_000
        if "training.graphs=off" in words:
            speed //= 3
        lines.append(f"{system},bf16,{speed - 50_000 * ('deterministic=true' in words)},0.1,30.0,60.0,9.9")
    write(f"{after(words, '-o')}/training.csv", "\n".join(lines) + "\n")
    if "--profile" in words:
        write_profile(words, after(words, "--systems").split(","))


def write_profile(words, systems):
    write(f"{after(words, '-o')}/operations.csv", "system,operation,calls,seconds,%\n" + "".join(
        f'"{system}",aten::mm,52,0.0100,60.0\n' for system in systems))
    write(f"{after(words, '-o')}/kernels.csv", "system,kernel,calls_per_update,ms_per_update,%\n" + "".join(
        f'"{system}",all,610.0,31.500,90.0\n"{system}",none,0.0,3.500,10.0\n"{system}",gemm,90.0,20.000,57.1\n'
        for system in systems))


def bench_translate(words):
    write(f"{after(words, '-o')}/translate.csv", "weights,batch,beam,sentences_per_second,pieces_per_second\n" + "".join(
        f"bf16,{batch},{after(words, '--beam')},{10.5 * int(batch)},{99 * int(batch)}\n"
        for batch in after(words, "--batch").split(",")))
    if "--profile" in words:
        write_profile(words, [f"batch {batch}, beam {after(words, '--beam')}" for batch in after(words, "--batch").split(",")])


def reference(words):
    for tokens in after(words, "--batch-tokens").split(","):
        speed = 500_000 + 100_000 * ("--compile" in words)
        print(json.dumps({"batch_tokens": int(tokens), "target_tokens_per_second": speed, "peak_memory_mib": 1234}))


def main(words):
    if os.environ.get("FAIL") and os.environ["FAIL"] in " ".join(words):
        sys.exit("the driver fell over")
    if words[:2] == ["heed", "doctor"]:
        print(RANKS if "--ranks" in words else DOCTOR, end="")
    elif words[0] == "test_devices":
        print(OPERATORS, end="")
        sys.exit(1)
    elif words[0] == "reference":
        reference(words)
    elif words[0] == "heed-bench":
        {"train": bench_train, "translate": bench_translate}[words[1]](words)
    elif words[1] == "train":
        train(words)
    elif words[1] == "translate":
        if os.path.exists(after(words, "-o")):
            sys.exit(f"heed: {after(words, '-o')}: is there already")
        write(after(words, "-o"), "ein\nzwei\n")
    elif words[1] == "bottleneck":
        train(["--set", f"output={values(words)['output']}/none_30", "--set", "device=cuda"])
    else:
        sys.exit(f"what is {words}?")


if __name__ == "__main__":
    main(sys.argv[1:])
