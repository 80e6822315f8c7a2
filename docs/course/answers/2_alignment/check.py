import json
import math

from grading import strongest


def check(lab):
    def error_rate():
        found = json.loads(lab.path("align.json").read_text())
        return 100 * next(one["aer"] for one in found["choices"] if one["step"] == found["chosen"]["step"])

    hint = "in attention.csv the row of this target_position (from 0) with the largest weight"
    lab.word("first_attends_to", lambda: strongest(lab, 0)[0], hint)
    lab.word("third_attends_to", lambda: strongest(lab, 2)[0], hint)
    lab.number("first_weight", lambda: strongest(lab, 0)[1], 0.001, hint)
    lab.number("error_rate", error_rate, 0.1, "in align.json the aer of the chosen step, times 100")

    # 1 * tanh(0.5) + 2 * tanh(-1.5), as in the worked example of heed attention --step
    lab.function("attention.py", "additive_score", [(([0.5, -0.5], [0.0, -1.0], [1, 2]), math.tanh(0.5) + 2 * math.tanh(-1.5))],
                 "add the two lists, take tanh of each number, multiply by v and add up")
    lab.function("attention.py", "softmax", [(([0.0, math.log(3)],), [0.25, 0.75]), (([1000.0, 1000.0],), [0.5, 0.5])],
                 "e to the power of each score, divided by their sum; subtract the largest score first")
    lab.function("attention.py", "context", [(([0.25, 0.75], [[4, 0, 8], [0, 4, 8]]), [1, 3, 8])],
                 "one number for each column of the states")

    def scores():
        head = lab.worked("step.html")
        return [((query, key, head["vector"]), head["scores"][step][at])
                for step, query in enumerate(head["query"]) for at, key in enumerate(head["keys"])]

    def weights():
        head = lab.worked("step.html")
        return list(zip([(row,) for row in head["scores"]], head["weights"]))

    def contexts():
        head = lab.worked("step.html")
        return [((row, head["values"]), context) for row, context in zip(head["weights"], head["context"])]

    differs = "not what your model computes in step.html"
    about = "with your model's numbers"
    lab.function("attention.py", "additive_score", scores, differs, within=1e-3, about=about)
    lab.function("attention.py", "softmax", weights, differs, about=about)
    lab.function("attention.py", "context", contexts, differs, within=1e-3, about=about)
