import math


def check(lab):
    def loss(run):
        return lab.training(f"runs/lab4/{run}")[-1]["loss"]

    hint = "in {}/train.log the line that begins with update 150, after the word loss"
    lab.number("loss_scaled", lambda: loss("scaled"), 0.002, hint.format("runs/lab4/scaled"))
    lab.number("loss_unscaled", lambda: loss("unscaled"), 0.002, hint.format("runs/lab4/unscaled"))
    lab.number("deviation_64", 8, 0.01, "the variance of a sum of 64 products of variance 1 is 64; the deviation is its root")
    def largest(temperature):
        powers = [math.exp(score / temperature) for score in (2, 1, 0.1)]
        return powers[0] / sum(powers)

    lab.number("largest_at_1", largest(1), 0.001, "e^2 / (e^2 + e^1 + e^0.1)")
    lab.number("largest_at_4", largest(4), 0.001, "divide the scores by 4 first; then as at 1")
    lab.word("why", ["c"], "look at the example with d = 256 in examples.html, and think of the gradient of a softmax", "abc")

    ones = [1.0] * 256
    lab.function("softmax.py", "scaled_score", [(([1, 0, 1, 2], [2, 1, 0, 1]), 2), ((ones, ones), 16)],
                 "divide by the root of the length, not by the length")
    thirds = [1 / 3, 1 / 3, 1 / 3]
    lab.function("softmax.py", "softmax",
                 [(([0, math.log(3)], 1), [0.25, 0.75]), (([0, 2 * math.log(3)], 2), [0.25, 0.75]), (([7.0] * 3, 5), thirds),
                  (([1000.0] * 3, 0.1), thirds)],
                 "divide each score by the temperature; subtract the largest score before the exponential function")
