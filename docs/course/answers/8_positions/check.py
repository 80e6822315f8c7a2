import math


def check(lab):
    def loss(run):
        return lab.training(f"runs/lab8/{run}", "validation")[-1]["loss"]

    lab.number("none_is_worse_by", lambda: loss("none") - loss("yours"), 0.002,
               "the loss in the last validation of runs/lab8/none/train.log minus that of runs/lab8/yours/train.log")
    lab.word("product_changes", ["no"], "does a rotation change the angle between two vectors?", ["yes", "no"])

    lab.function("positions.py", "sinusoid",
                 [((0, 4), [0, 1, 0, 1]), ((1, 4), [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]),
                  ((7, 2), [math.sin(7), math.cos(7)])],
                 "sines and cosines take turns, and both numbers of a pair have the same angle")
    lab.function("positions.py", "rotate", [(([1, 0], math.pi / 2), [0, 1]), (([3, 4], 0), [3, 4]), (([0, 2], math.pi), [0, -2])],
                 "(x cos - y sin, x sin + y cos)")
    lab.function("positions.py", "rotary_score",
                 [(([1, 2], [3, 4], 5, 5), 11), (([1, 0], [1, 0], 9, 7), math.cos(2)), (([1, 0], [1, 0], 3, 5), math.cos(2)),
                  (([1, 0], [0, 1], 9, 7), math.sin(2))],
                 "rotate each by its own position; the score then depends on the distance alone")
