import math


def check(lab):
    def loss(run):
        return lab.training(f"runs/lab8/{run}", "validation")[-1]["loss"]

    hint = "the last line of runs/lab8/{}/train.log that says validation"
    lab.number("valid_loss_yours", lambda: loss("yours"), 0.002, hint.format("yours"))
    lab.number("valid_loss_none", lambda: loss("none"), 0.002, hint.format("none"))
    lab.word("product_changes", ["no"], "a rotation changes neither lengths nor the angle between two vectors")

    lab.function("positions.py", "sinusoid",
                 [((0, 4), [0, 1, 0, 1]), ((1, 4), [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]),
                  ((7, 2), [math.sin(7), math.cos(7)])],
                 "sines and cosines take turns, and both numbers of a pair have the same angle")
    lab.function("positions.py", "rotate", [(([1, 0], math.pi / 2), [0, 1]), (([3, 4], 0), [3, 4]), (([0, 2], math.pi), [0, -2])],
                 "(x cos - y sin, x sin + y cos)")
    lab.function("positions.py", "rotary_score",
                 [(([1, 2], [3, 4], 5, 5), 11), (([1, 0], [1, 0], 9, 7), math.cos(2)), (([1, 0], [1, 0], 3, 5), math.cos(2))],
                 "rotate each by its own position; the score then depends on the distance alone")
