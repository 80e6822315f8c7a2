def split(vector, heads):
    """The parts of a vector, one list for each head: the first numbers are those of head 0."""
    width = len(vector) // heads
    return [vector[head * width:(head + 1) * width] for head in range(heads)]


def join(parts):
    """The vector whose parts these are."""
    return [number for part in parts for number in part]


def width_of_head(width, heads):
    """How many numbers a head has. Raises ValueError where the heads cannot share the width equally."""
    if width % heads:
        raise ValueError(f"{heads} heads cannot share {width} numbers")
    return width // heads
