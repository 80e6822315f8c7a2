import math


def check(lab):
    def later(file):
        return max(row["weight"] for row in lab.rows(file) if row["source_position"] > row["target_position"])

    def first():
        return lab.rows("decoder.csv", target_position=0, source_position=0)[0]["weight"]

    lab.number("largest_on_later", lambda: later("decoder.csv"), 1e-6,
               "rows of decoder.csv whose source_position is larger than their target_position")
    lab.number("first_on_itself", first, 1e-3, "the first position sees nothing else, and weights add up to 1")
    lab.number("encoder_on_later", lambda: later("encoder.csv"), 0.005,
               "rows of encoder.csv whose source_position is larger than their target_position")
    lab.number("ones_of_7", 28, 0, "count the ones of each row of the triangle")
    lab.word("why", ["a"], "what is e to the power of minus infinity, and what of 0?", "abc")

    lab.function("masks.py", "causal", [((1,), [[1]]), ((3,), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])],
                 "row i has ones up to and with column i")
    lab.function("masks.py", "padding", [(([3, 1], 4), [[1, 1, 1, 0], [1, 0, 0, 0]])], "one row for each sentence")
    lab.function("masks.py", "window", [((4, 1), [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]), ((2, 5), [[1, 1], [1, 1]])],
                 "1 where row and column differ by at most w")
    lab.function("masks.py", "masked_softmax", [(([5.0, 9.0], [1, 0]), [1, 0]), (([0, math.log(3), 50], [1, 1, 0]), [0.25, 0.75, 0]),
                                                (([-2000.0, 3.0], [1, 0]), [1, 0])],
                 "leave out what the mask hides, also when you look for the largest score", within=1e-6)
