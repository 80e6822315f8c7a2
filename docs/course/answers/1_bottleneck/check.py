import math


def check(lab):
    def curve(system):
        rows = [row for row in lab.rows("curve.csv", system=system) if row["bleu"] != ""]
        return sorted(rows, key=lambda row: row["bucket_low"])

    def loss(system):
        return curve(system)[0]["bleu"] - curve(system)[-1]["bleu"]

    def half_from():
        rows = curve("none")
        return next((row["bucket_low"] for row in rows if row["bleu"] < rows[0]["bleu"] / 2), 0)

    hint = "BLEU of this system in its first row of curve.csv minus BLEU in its last row that has sentences"
    lab.number("none_loses", lambda: loss("none"), 0.1, hint)
    lab.number("bahdanau_loses", lambda: loss("bahdanau"), 0.1, hint)
    lab.number("half_from", half_from, 0, "divide the BLEU of the first row by 2, and go down the column bucket_low; "
                                          "0 if no group is so bad")
    lab.number("numbers_in_vector", 256, 0, "the line hidden_size of heed inspect runs/demo/none --config")
    lab.word("why", ["b"], "compare the curve of bahdanau, which has learned from the same sentences for the same time", "abc")

    def measured():
        rows = lab.rows("curve.csv", system="none")
        return [((row["length_ratio"],), row["brevity_penalty"]) for row in rows if row["length_ratio"] != ""]

    lab.function("brevity.py", "brevity_penalty", [((2.0,), 1), ((1.0,), 1), ((0.5,), math.exp(-1))],
                 "1 for r >= 1, else e to the power 1 - 1 / r")
    lab.function("brevity.py", "brevity_penalty", measured, "not what curve.csv has", within=0.002, about="with the numbers of curve.csv")
