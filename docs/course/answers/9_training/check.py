import math

from grading import NotYet


def check(lab):
    def weights(run):
        return lab.in_run(f"runs/lab9/{run}/model.safetensors").read_bytes()

    def same(run):
        if run == "resumed" and "resuming at" not in lab.in_run("runs/lab9/resumed/train.log").read_text():
            raise NotYet("runs/lab9/resumed was not interrupted: delete it, and call both commands again")
        return "yes" if weights(run) == weights("one") else "no"

    def loss():
        return lab.training("runs/lab9/one")[-1]["loss"]

    hint = "sha256sum prints the same sum for files with the same bytes"
    lab.word("same_with_two_threads", lambda: same("two"), hint, ["yes", "no"])
    lab.word("same_after_resuming", lambda: same("resumed"), hint, ["yes", "no"])
    lab.number("loss_120", loss, 0.002, "in runs/lab9/one/train.log the line that begins with update 120, after the word loss")
    lab.number("perplexity_120", lambda: math.exp(loss()), 0.5,
               "e to the power of the loss")

    lab.function("schedule.py", "learning_rate", [((20, 0.002, 40, 120), 0.001), ((40, 0.002, 40, 120), 0.002), ((81, 0.002, 40, 120), 0.001),
                                                  ((41, 0.002, 40, 120), 0.002)], "up to w the rate rises in proportion to t; after w the cosine goes from 1 to -1", within=1e-9)
    lab.function("schedule.py", "inverse_square_root", [((5, 1, 10), 0.5), ((10, 1, 10), 1), ((40, 1, 10), 0.5)],
                 "up to w it rises as r t / w; after w it is r times the root of w / t", within=1e-9)

    def logged():
        return [((line["update"], 0.002, 40, 120), line["learning_rate"]) for line in lab.training("runs/lab9/one")]

    lab.function("schedule.py", "learning_rate", logged, "not what runs/lab9/one/metrics.jsonl has: is warmup 40 in lab.yaml?", within=1e-7,
                 about="with the rates of your training")
