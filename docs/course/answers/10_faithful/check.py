def check(lab):
    def heads():
        return [row for row in lab.rows("faithful.csv", evidence="attention") if isinstance(row["head"], float)]

    def name(row):
        return f"{row['layer']:.0f}.{row['head']:.0f}"

    def most(column):
        return max(heads(), key=lambda row: row[column])

    hint = "rows of single heads in faithful.csv; the one with the {} {}"
    lab.word("agrees_best", lambda: name(most("erasure")), hint.format("largest", "erasure"))
    lab.number("best_tau", lambda: most("erasure")["erasure"], 0.001, "the number in this row")

    def clearly():
        best, second = sorted(heads(), key=lambda row: row["erasure"])[:-3:-1]
        return "yes" if best["erasure_low"] > second["erasure_high"] else "no"

    lab.word("clearly_best", clearly, "compare erasure_low of this row with erasure_high of the second best", ["yes", "no"])
    lab.word("moves_most", lambda: name(most("moved")), hint.format("largest", "moved"))
    lab.word("aligns_best", lambda: name(min(heads(), key=lambda row: row["aer"])), hint.format("smallest", "aer"))
    lab.word("why", ["a"], "what do both measures look at in the order of the source words?", "abc")

    lab.function("agreement.py", "kendall", [(([1, 2, 3], [10, 20, 30]), 1), (([1, 2, 3], [3, 2, 1]), -1), (([1, 2, 3], [1, 3, 2]), 1 / 3),
                                             (([4, 1, 3, 2], [4, 2, 1, 3]), 1 / 3)],
                 "count all pairs i < j; a pair has the same order if both lists rise or both fall from i to j")
    lab.function("agreement.py", "erasure", [((-1.0, [-3.0, -2.0, -1.0, -0.5]), [2 / 3, 1 / 3, 0, 0])],
                 "a word without which the translation becomes likelier has the share 0")
