"""Whole sentences of an exact length: clauses joined by conjunctions, some about a noun before.

A pronoun clause follows a clause with two nouns of unlike gender, and what it says fits only one of
them:
    the animal did not cross the street because it was too tired / wide
"""

from typing import List, NamedTuple, Optional, Tuple

from demo import lexicon as words
from demo.clauses import (
    ADJECTIVE,
    FREE,
    HOSTS,
    PRONOUNS,
    SIMPLE,
    Cast,
    Choice,
    Clause,
    Mention,
    Pair,
    Predicate,
    Shape,
)

SHORTEST, LONGEST = 3, 60
LONGEST_IN_TRAINING = 64  # so that no position of the longest test sentence is new
BUCKETS = [(3, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60)]
LONG_BUCKETS = [(low, low + 9) for low in range(61, 120, 10)]
# Short sentences are the cheap ones to learn the words from; long ones must not be a surprise
# either. Those about "it" come besides and have 10 to 16 words.
TRAINING_WEIGHTS = [
    (3, 10, 2.5),
    (11, 20, 0.8),
    (21, 30, 1.1),
    (31, 40, 1.0),
    (41, 50, 0.9),
    (51, 64, 0.8),
]

PRONOUN_RATE = 0.5  # of the joints between clauses where one fits
# Which noun "it" stands for takes two looks, at the adjective and from there at the nouns, and one
# without the other is worth nothing: it takes many short examples to learn both within minutes.
PRONOUN_LENGTHS = (6, 7, 8, 9, 10), (3, 4, 4, 5)  # of its clauses; "it was too big" has 4 words
FIT_RATE = 0.8  # of the few places long enough for "did not fit into ... it was too big"
KIND_WEIGHTS = {"acts": 2, "does": 5, "is": 2, "it is": 2}

ANIMAL_ACTS = [
    verb
    for verb in words.TRANSITIVE
    if words.ANIMAL in verb.subjects and verb.objects & (words.GOODS | {words.PLACE})
]
ANIMAL_SUFFERS = [verb for verb in words.TRANSITIVE if words.PLACE in verb.subjects]
FIT_PREDICATE = Shape("it is", degree=True)


def even_lengths(count: int, buckets: List[Tuple[int, int]]) -> List[int]:
    """`count` lengths, every bucket equally full and every length of a bucket equally frequent."""
    lengths = []
    for index in range(count):
        low, high = buckets[index % len(buckets)]
        lengths.append(low + (index // len(buckets)) % (high - low + 1))
    return lengths


def training_length(choice: Choice) -> int:
    point = choice.random() * sum(weight for _, _, weight in TRAINING_WEIGHTS)
    for low, high, weight in TRAINING_WEIGHTS:
        if point < weight:
            break
        point -= weight
    return low + int(choice.random() * (high - low + 1))


def clause_lengths(choice: Choice, length: int) -> List[int]:
    """Cuts a sentence into clauses of 3 to 11 words with a conjunction between two."""
    lengths, left = [], length
    while True:
        if left < 7 or left <= 11 and choice.happens(0.5):
            return lengths + [left]
        longest = min(11, left - 4)
        lengths.append(3 + int(choice.random() * (longest - 2)))
        left -= lengths[-1] + 1


class Step(NamedTuple):
    """One clause of the plan: free, a host, or about the host before it."""

    shape: Shape
    role: str = "free"


def _draw(choice: Choice, shapes) -> Shape:
    kinds = [kind for kind in shapes for _ in range(KIND_WEIGHTS.get(kind, 1))]
    return choice.one_of(shapes[choice.one_of(kinds)])


def _host_and_pronoun(choice: Choice, hosts, pronouns) -> List[Step]:
    if "fits" in hosts and FIT_PREDICATE in pronouns.get("it is", ()) and choice.happens(FIT_RATE):
        return [
            Step(_draw(choice, {"fits": hosts["fits"]}), "host"),
            Step(FIT_PREDICATE, "pronoun"),
        ]
    return [
        Step(_draw(choice, {"does": hosts["does"]}), "host"),
        Step(_draw(choice, pronouns), "pronoun"),
    ]


def plan(choice: Choice, length: int) -> List[Step]:
    lengths, steps, index = clause_lengths(choice, length), [], 0
    while index < len(lengths):
        following = lengths[index + 1] if index + 1 < len(lengths) else 0
        if following in PRONOUNS and lengths[index] in HOSTS and choice.happens(PRONOUN_RATE):
            steps += _host_and_pronoun(choice, HOSTS[lengths[index]], PRONOUNS[following])
            index += 2
            continue
        steps.append(Step(_draw(choice, FREE[lengths[index]])))
        index += 1
    return steps


def _noun(choice: Choice, kind: str, kinds, unlike: Optional[str] = None) -> words.Noun:
    while True:
        noun = choice.one_of(words.NOUNS_OF_KIND[kind])
        if noun.gender != unlike and words.sense_is_clear(noun, kinds):
            return noun


def cast(choice: Choice, shape: Shape) -> Cast:
    """Two nouns of unlike gender and group, neither a person, and a verb that joins them."""
    if shape.kind == "fits":
        verb, first, second = words.FIT, words.THING, words.CONTAINER
    elif choice.happens(0.65):
        verb, first = choice.one_of(ANIMAL_ACTS), words.ANIMAL
        second = choice.one_of(sorted(verb.objects & (words.GOODS | {words.PLACE})))
    else:
        verb, second = choice.one_of(ANIMAL_SUFFERS), words.ANIMAL
        first = choice.one_of(sorted(verb.subjects))
    subject = _noun(choice, first, verb.subjects)
    return Cast(
        subject, verb, _noun(choice, second, verb.objects, subject.gender), choice.happens(0.2)
    )


def predicate(
    choice: Choice, host: Shape, told: Shape, subject: Mention, other: Mention
) -> Predicate:
    """Something that only one of the two nouns can be or do."""
    if host.kind == "fits":
        big = choice.happens(0.5)
        return Predicate(
            subject if big else other, [words.TOO_BIG if big else words.TOO_SMALL], words.DEGREES[0]
        )
    if told.kind == "it acts":
        meant = subject if subject.noun.kind == words.ANIMAL else other
    else:
        meant = subject if choice.happens(0.5) else other
    return Predicate(meant, words.GROUP_ADJECTIVES[words.GROUP_OF_KIND[meant.noun.kind]])


def _joint(pair: Pair, choice: Choice, because: bool) -> bool:
    """Writes a conjunction; returns whether a subordinate clause follows."""
    subordinate = because or choice.happens(0.5)
    options = (
        [words.BECAUSE] if because else words.SUBORDINATING if subordinate else words.COORDINATING
    )
    english, target = choice.one_of(options)
    pair.write([(target, (pair.read(english),))])
    return subordinate


def sentence(choice: Choice, length: int) -> Pair:
    return _written(choice, plan(choice, length))


def pronoun_sentence(choice: Choice) -> Pair:
    """Two clauses: two nouns, and what only one of them can be."""
    host, told = (choice.one_of(lengths) for lengths in PRONOUN_LENGTHS)
    shapes = {"it is": PRONOUNS[told]["it is"]}
    return _written(choice, _host_and_pronoun(choice, HOSTS[host], shapes))


def _written(choice: Choice, steps: List[Step]) -> Pair:
    pair, host, mentions = Pair(), None, None
    for index, step in enumerate(steps):
        because = step.role == "pronoun" and host is not None and host.kind == "fits"
        clause = Clause(pair, choice, index > 0 and _joint(pair, choice, because))
        if step.role == "host":
            host, mentions = step.shape, clause.host(step.shape, cast(choice, step.shape))
        elif step.role == "pronoun":
            clause.pronoun(step.shape, predicate(choice, host, step.shape, *mentions))
        else:
            clause.free(step.shape)
    return pair


class Contrast(NamedTuple):
    """A sentence whose pronoun only its last words explain, and how to get it wrong: `wrong` gives
    it, and the adjective that agrees with it, the gender of the other noun, `neither` the third."""

    pair: Pair
    wrong: Pair
    neither: Pair


def contrast(choice: Choice, roles: Cast, shape: Shape, qualities) -> Tuple[Contrast, Contrast]:
    """A minimal pair: one host clause, because it was too X; X decides which of its nouns is meant.
    Both halves come from the same draws, so that they differ in nothing else."""
    nouns = (roles.subject, roles.object)
    draws: List[float] = []

    def recorded() -> float:
        draws.append(choice.random())
        return draws[-1]

    def written(source: Choice, which: int, gender: str) -> Pair:
        pair = Pair()
        mentions = Clause(pair, source, False).host(shape, roles)
        _joint(pair, source, True)
        meant = mentions[which]._replace(noun=nouns[which].of_gender(gender))
        said = Predicate(meant, [qualities[which]], words.DEGREES[0])
        Clause(pair, source, True).pronoun(FIT_PREDICATE, said)
        return pair

    def half(first: Choice, which: int) -> Contrast:
        right, other = nouns[which].gender, nouns[1 - which].gender
        third = next(gender for gender in words.VOWEL if gender not in (right, other))
        right_one = written(first, which, right)  # before the others: it may make the draws
        again = (Choice(iter(draws).__next__) for _ in range(2))
        wrong_ones = (written(next(again), which, gender) for gender in (other, third))
        return Contrast(right_one, *wrong_ones)

    first = half(Choice(recorded), 0)
    return first, half(Choice(iter(draws).__next__), 1)


def named(kind: str, singular: str) -> words.Noun:
    return next(noun for noun in words.NOUNS_OF_KIND[kind] if noun.singular == singular)


def classic_pairs(choice: Choice) -> List[Tuple[Contrast, Contrast]]:
    """The animal and the street; the trophy and the suitcase."""
    the = words.SINGULAR_DETERMINERS[0]
    cross = next(verb for verb in words.TRANSITIVE if verb.base == "cross")
    street = Cast(
        named(words.ANIMAL, "animal"), cross, named(words.PLACE, "street"), determiner=the
    )
    trophy = Cast(
        named(words.THING, "trophy"), words.FIT, named(words.CONTAINER, "suitcase"), determiner=the
    )
    tired, wide = words.GROUP_ADJECTIVES["living"][0], words.GROUP_ADJECTIVES["place"][0]
    return [
        contrast(choice, street, Shape("does", SIMPLE, SIMPLE, negated=True), (tired, wide)),
        contrast(
            choice,
            trophy,
            Shape("fits", SIMPLE, SIMPLE, negated=True),
            (words.TOO_BIG, words.TOO_SMALL),
        ),
    ]


def more_contrasts(choice: Choice, count: int) -> List[Tuple[Contrast, Contrast]]:
    """Minimal pairs like the classic ones with other nouns, verbs and adjectives."""
    pairs, seen = [], set()
    while len(pairs) < count:
        kind = "fits" if choice.happens(0.3) else "does"
        shape = Shape(kind, choice.one_of((SIMPLE, ADJECTIVE)), SIMPLE, negated=True)
        roles = cast(choice, shape)._replace(plural=False)
        qualities = (
            (words.TOO_BIG, words.TOO_SMALL)
            if kind == "fits"
            else tuple(
                choice.one_of(words.GROUP_ADJECTIVES[words.GROUP_OF_KIND[noun.kind]])
                for noun in (roles.subject, roles.object)
            )
        )
        first, second = contrast(choice, roles, shape, qualities)
        key = " ".join(first.pair.source)
        if key not in seen:
            seen.add(key)
            pairs.append((first, second))
    return pairs
