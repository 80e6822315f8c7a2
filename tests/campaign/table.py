"""The results that a campaign ends with: rows of one Markdown table, and complaints."""
import collections
import threading


class Results:
    """Counts by disturbance. Several threads may add to it."""

    def __init__(self, part):
        self.part, self.complaints = part, []
        self._counts = collections.OrderedDict()
        self._lock = threading.Lock()

    def add(self, what, complaints=(), where="", failed=False):
        """`failed`: counted as a failure though its complaints are said elsewhere."""
        with self._lock:
            row = self._counts.setdefault(what, [0, 0])
            row[0] += 1
            row[1] += 1 if complaints or failed else 0
            for complaint in complaints:
                self.complaints.append(f"{self.part}, {what}: {complaint}" + (f" ({where})" if where else ""))

    def rows(self, order=None):
        counts = self._counts.items() if order is None else sorted(self._counts.items(), key=lambda row: order(row[0]))
        return [(self.part, what, times, times - bad, bad) for what, (times, bad) in counts]

    def times(self):
        return sum(row[0] for row in self._counts.values())


def markdown(rows):
    lines = ["| part | disturbance | times | as promised | failures |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {part} | {what} | {times} | {good} | {bad} |" for part, what, times, good, bad in rows]
    sums = [sum(row[i] for row in rows) for i in (2, 3, 4)]
    lines.append(f"| all | | {sums[0]} | {sums[1]} | {sums[2]} |")
    return "\n".join(lines)


def end(rows, complaints):
    """Prints both; returns the program's exit code."""
    print(markdown(rows))
    print(*complaints, sep="\n")
    return 1 if complaints else 0
