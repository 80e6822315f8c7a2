import math


def check(lab):
    lab.number("bytes", 2 * 3 * 4 * 32 * 1000 * 4, 0, "for each position, layer and head one key and one value; a head has width / heads numbers")
    lab.number("bytes_multi_query", 2 * 3 * 1 * 32 * 1000 * 4, 0, "as before, with one head of keys instead of 4")
    lab.number("keys_without", 28, 0, "how many keys does the third step compute, if nothing was kept?")
    lab.number("keys_with", 7, 0, "each step computes one key")

    root = math.sqrt(2)
    one, third = [1.0, 0.0], [[1.0, 1.0], [3.0, 5.0]]
    lab.function("cache.py", "contexts",
                 [(([one], [one], [[7.0, 8.0]]), [[7, 8]]),
                  (([one, [0.0, 0.0]], [one, [5.0, 5.0]], third), [[1, 1], [2, 3]]),
                  (([one, one], [[0.0, 0.0], [root * math.log(3), 0.0]], third), [[1, 1], [2.5, 4]])],
                 "keep the new key and value first; divide the scores by √d; then weigh all values that are there")

    def model():
        head = lab.worked("step.html")
        return [((head["query"], head["keys"], head["values"]), head["context"])]

    lab.function("cache.py", "contexts", model, "not what your model computes in step.html", within=1e-3, about="with your model's numbers")
    lab.function("cache.py", "bytes_of_cache", [((1, 1, 1, 1, 1), 2), ((6, 8, 64, 100, 2), 1228800)],
                 "keys and values: twice the product of all five")
