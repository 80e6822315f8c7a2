def check(lab):
    def best(kind, column):
        return max(lab.rows("heads.csv", kind=kind), key=lambda row: row[column])

    def name(row):
        return f"{row['layer']:.0f}.{row['head']:.0f}"

    lab.word("most_aligned", lambda: name(best("cross", "aligned")),
             "rows of heads.csv with kind cross; the one with the largest number in the column aligned")
    lab.number("share_aligned", lambda: 100 * best("cross", "aligned")["aligned"], 0.1, "the number in this row, times 100")
    lab.word("looks_back", lambda: name(best("decoder", "at_-1")),
             "rows of heads.csv with kind decoder; the one with the largest number in the column at_-1")
    lab.number("back_weight", lambda: 100 * best("decoder", "at_-1")["at_-1"], 0.1, "the number in this row, times 100")

    def ablated():
        heads = [row for row in lab.rows("ablation.csv") if str(row["silenced"]).count(".") == 2]
        return max(heads, key=lambda row: row["loss_change"])["silenced"]

    lab.word("matters_most", ablated, "rows of ablation.csv that name one head; the one with the largest loss_change")

    lab.function("heads.py", "split", [(([1, 2, 3, 4, 5, 6], 3), [[1, 2], [3, 4], [5, 6]]), (([1, 2], 1), [[1, 2]])],
                 "head 0 has the first len / heads numbers")
    lab.function("heads.py", "join", [(([[1, 2], [3, 4]],), [1, 2, 3, 4]), (([[1], [2], [3]],), [1, 2, 3])], "one list after the other")
    lab.function("heads.py", "width_of_head", [((128, 4), 32), ((512, 8), 64)], "width divided by heads, a whole number")
    lab.raises("heads.py", "width_of_head", (128, 3), ValueError, "3 heads cannot share 128 numbers: raise ValueError")
