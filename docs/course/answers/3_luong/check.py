import math


def check(lab):
    def value(file, column):
        return lab.rows(file, kind="cross")[0][column]

    def difference():
        return value("bahdanau.csv", "entropy") - value("luong.csv", "entropy")

    def score_of_lazy():
        return lab.worked("step.html")["scores"][0][1]

    lab.number("score_of_lazy", score_of_lazy, 0.01, "step 1 of step.html, section 3, the row of lazy, column e")
    lab.word("sharper", lambda: "luong_general" if difference() > 0 else "bahdanau",
             "the column entropy of bahdanau.csv and luong.csv; sharp attention has the lower one",
             ["bahdanau", "luong_general"])
    lab.number("entropy_difference", lambda: abs(difference()), 0.005, "the larger entropy minus the smaller one")
    lab.number("luong_aligned", lambda: 100 * value("luong.csv", "aligned"), 0.1, "the column aligned of luong.csv, times 100")
    lab.number("window_positions", 21, 0, "D positions on each side, and the centre")

    lab.function("scores.py", "dot", [(([1, 2, 3], [4, 5, 6]), 32)], "the sum of the products")
    lab.function("scores.py", "general", [(([1, 2], [[1, 0, 1], [0, 1, 1]], [3, 4, 5]), 26)],
                 "first W h, one number for each row of W, then its dot product with s")
    lab.function("scores.py", "bell", [((30, 30, 10), 1), ((35, 30, 10), math.exp(-0.5)), ((7, 10, 3), math.exp(-2))],
                 "sigma is D / 2, and the exponent is negative")

    def scores():
        head = lab.worked("step.html")
        return [((query, key), head["scores"][step][at] / head["factor"])
                for step, query in enumerate(head["query"]) for at, key in enumerate(head["keys"])]

    lab.function("scores.py", "dot", scores, "not what your model computes in step.html, where keys are W h already", within=1e-3,
                 about="with your model's numbers")
