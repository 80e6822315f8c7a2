"""The command line of the parts of the campaign that play rounds by chance."""
import argparse
import pathlib
import random

import toy


def parser(description, counted, full, quick):
    """Takes how many there are to be of what is `counted`, such as kills, as `times`."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(f"--{counted}", type=int, default=full, dest="times", metavar=counted.upper())
    made.add_argument("--quick", action="store_const", dest="times", const=quick, help=f"--{counted} {quick}")
    made.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    made.add_argument("--round", type=int, help="only this one")
    made.add_argument("--work", type=pathlib.Path, default=toy.ROOT / "build/campaign")
    return made


def say(text):
    print(text, flush=True)
