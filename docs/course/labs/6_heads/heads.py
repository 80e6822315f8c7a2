def split(vector, heads):
    """The parts of a vector, one list for each head: the first numbers are those of head 0."""
    ...


def join(parts):
    """The vector whose parts these are."""
    ...


def width_of_head(width, heads):
    """How many numbers a head has. Raises ValueError where the heads cannot share the width equally."""
    ...
