"""One clause in both languages, built word by word with its alignment.

Source order is English. The target puts adjectives after their noun and adverbs next to the verb; a
main clause is subject-verb-object and a subordinate one ends in its verb:
    the dog crossed the street slowly          lo kano kruset lentu la strada
    because the dog crossed the street slowly  perke lo kano la strada lentu kruset
"""

from dataclasses import dataclass, field
from itertools import product
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from demo import lexicon as words

Segment = List[
    Tuple[str, Tuple[int, ...]]
]  # target words, each with the source positions it translates


class Choice:
    """Picks from a stream of random numbers, alike on every version of Python."""

    def __init__(self, random):
        self.random = random

    def one_of(self, options: Sequence):
        return options[int(self.random() * len(options))]

    def happens(self, probability: float) -> bool:
        return self.random() < probability


class Antecedent(NamedTuple):
    pronoun: int  # source position of "it"
    noun: int  # source position of what it stands for
    target_pronoun: int
    gender: str


@dataclass
class Pair:
    source: List[str] = field(default_factory=list)
    target: List[str] = field(default_factory=list)
    links: List[Tuple[int, int]] = field(default_factory=list)
    antecedents: List[Antecedent] = field(default_factory=list)

    def read(self, word: str) -> int:
        self.source.append(word)
        return len(self.source) - 1

    def write(self, segment: Segment) -> None:
        for word, positions in segment:
            self.links.extend((position, len(self.target)) for position in positions)
            self.target.append(word)


class Mention(NamedTuple):
    """A noun as it was used, for a pronoun that may follow."""

    noun: words.Noun
    position: int
    plural: bool


class Shape(NamedTuple):
    """What a clause is made of; `length` counts its source words."""

    kind: str  # acts, does, is, fits; "it acts" and "it is" have a pronoun for a subject
    subject: int = 0  # source words of each noun phrase, 0 for none
    object: int = 0
    place: int = 0  # of the prepositional phrase, without the preposition
    adverb: bool = False
    negated: bool = False
    degree: bool = False

    @property
    def length(self) -> int:
        verb = 1 + (
            2 if self.negated and self.kind != "is" and self.kind != "it is" else int(self.negated)
        )
        extra = {"fits": 1, "is": 1, "it is": 2, "it acts": 1}.get(self.kind, 0)
        return (
            self.subject
            + self.object
            + verb
            + extra
            + (1 + self.place if self.place else 0)
            + self.adverb
            + self.degree
        )


LONGEST_CLAUSE = 12
SIMPLE, ADJECTIVE, WITH_OF = 2, 3, 5  # the dog; the tired dog; the bank of the river
FLAG = (False, True)


def _by_length(shapes) -> Dict[int, Dict[str, List[Shape]]]:
    """Shapes by length and kind; a list holds the common ones more than once."""
    table: Dict[int, Dict[str, List[Shape]]] = {}
    for shape in shapes:
        if shape.length <= LONGEST_CLAUSE:
            times = (1 if shape.negated else 2) * (
                1 if WITH_OF in (shape.object, shape.place) else 2
            )
            table.setdefault(shape.length, {}).setdefault(shape.kind, []).extend([shape] * times)
    return table


_PLACES = (0, SIMPLE, ADJECTIVE, WITH_OF)
_FREE = (
    [Shape("acts", s, 0, p, a, n) for s, p, a, n in product((2, 3), _PLACES, FLAG, FLAG)]
    + [
        Shape("does", s, o, p, a, n)
        for s, o, p, a, n in product((2, 3), (2, 3, 5), _PLACES, FLAG, FLAG)
    ]
    + [Shape("is", s, 0, 0, False, n, d) for s, n, d in product((2, 3), FLAG, FLAG)]
)
_HOSTS = [Shape("does", s, o, 0, a, n) for s, o, a, n in product((2, 3), (2, 3), FLAG, FLAG)] + [
    Shape("fits", s, o, 0, False, True) for s, o in product((2, 3), (2, 3))
]
_PRONOUNS = [Shape("it acts", 0, 0, p, a, n) for p, a, n in product(_PLACES, FLAG, FLAG)] + [
    Shape("it is", 0, 0, 0, False, n, d) for n, d in product(FLAG, FLAG)
]

FREE, HOSTS, PRONOUNS = _by_length(_FREE), _by_length(_HOSTS), _by_length(_PRONOUNS)


class Cast(NamedTuple):
    """Who does what to whom in a clause that a pronoun refers to; a determiner of None is drawn."""

    subject: words.Noun
    verb: words.Verb
    object: words.Noun
    plural: bool = False
    determiner: Optional[Tuple[str, str]] = None


class Predicate(NamedTuple):
    """What is said of a pronoun; only `mention` can be meant by any of the adjectives."""

    mention: Mention
    adjectives: Sequence[Tuple[str, str]]
    degree: Optional[Tuple[str, str]] = None


class Clause:
    """Writes one clause of a given shape into a pair."""

    def __init__(self, pair: Pair, choice: Choice, subordinate: bool):
        self.pair, self.choice, self.subordinate = pair, choice, subordinate
        self.mentions: List[Mention] = []

    def noun_phrase(
        self,
        noun: words.Noun,
        plural: bool,
        size: int,
        determiner: Optional[Tuple[str, str]] = None,
    ) -> Segment:
        pick, pair = self.choice.one_of, self.pair
        if determiner is None:
            determiner = pick(words.PLURAL_DETERMINERS if plural else words.SINGULAR_DETERMINERS)
        form = (noun.gender, plural)
        segment = [(words.determiner(determiner[1], *form), (pair.read(determiner[0]),))]
        adjective: Segment = []
        if size == ADJECTIVE:
            english, stem = pick(
                words.GENERAL_ADJECTIVES + words.GROUP_ADJECTIVES[words.GROUP_OF_KIND[noun.kind]]
            )
            adjective = [(stem + words.ending(*form), (pair.read(english),))]
        position = pair.read(noun.source_form(plural))
        self.mentions.append(Mention(noun, position, plural))
        segment += [(noun.target_form(plural), (position,))] + adjective
        if size == WITH_OF:
            owner = pick(words.SHORE_OF if noun is words.SHORE else words.MONEY_HOUSE_OF)
            segment.append((words.OF_TARGET, (pair.read(words.OF),)))
            segment += self.noun_phrase(owner, False, SIMPLE)
        return segment

    def any_noun(self, kinds, size: int) -> Segment:
        if size == WITH_OF:
            noun = self.choice.one_of((words.SHORE, words.MONEY_HOUSE))
        else:
            noun = self.choice.one_of(words.NOUNS_OF_KIND[self.choice.one_of(sorted(kinds))])
            while not words.sense_is_clear(noun, kinds):
                noun = self.choice.one_of(words.NOUNS_OF_KIND[noun.kind])
        return self.noun_phrase(noun, self.choice.happens(0.35), size)

    def verb(self, verb: words.Verb, plural: bool, negated: bool) -> Tuple[Segment, Segment]:
        """The target's negation and verb; "did" belongs to the verb, which carries its number."""
        pair = self.pair
        if not negated:
            return [], [(verb.target_form(plural), (pair.read(verb.past),))]
        did, negation = pair.read(words.DID), pair.read(words.NOT)
        return (
            [(words.NOT_TARGET, (negation,))],
            [(verb.target_form(plural), (did, pair.read(verb.base)))],
        )

    def being(self, mention: Mention, adjective, degree, negated: bool) -> None:
        """... was (not) (too) tired, agreeing with what it is said of."""
        pair, plural = self.pair, mention.plural
        was = [(words.COPULA[plural], (pair.read(words.WERE if plural else words.WAS),))]
        negation = [(words.NOT_TARGET, (pair.read(words.NOT),))] if negated else []
        quality = [(degree[1], (pair.read(degree[0]),))] if degree else []
        form = adjective[1] + words.ending(mention.noun.gender, plural)
        quality.append((form, (pair.read(adjective[0]),)))
        if self.subordinate:
            pair.write(quality + negation + was)
        else:
            pair.write(negation + was + quality)

    def rest(
        self,
        shape: Shape,
        verb: words.Verb,
        plural: bool,
        object_phrase: Optional[Callable[[], Segment]] = None,
    ) -> None:
        """Everything after the subject."""
        pair, pick = self.pair, self.choice.one_of
        negation, action = self.verb(verb, plural, shape.negated)
        into = [(words.INTO_TARGET, (pair.read(words.INTO),))] if shape.kind == "fits" else []
        thing = into + object_phrase() if object_phrase else []
        place: Segment = []
        if shape.place:
            english, target = pick(words.PREPOSITIONS)
            place = [(target, (pair.read(english),))] + self.any_noun({words.PLACE}, shape.place)
        adverb: Segment = []
        if shape.adverb:
            english, target = pick(words.ADVERBS)
            adverb = [(target, (pair.read(english),))]
        if self.subordinate:
            pair.write(thing + place + adverb + negation + action)
        else:
            pair.write(negation + action + adverb + thing + place)

    def free(self, shape: Shape) -> None:
        """A clause that says what it likes."""
        if shape.kind == "is":
            self.pair.write(self.any_noun(words.ANYTHING, shape.subject))
            subject = self.mentions[0]
            group = words.GROUP_OF_KIND[subject.noun.kind]
            adjective = self.choice.one_of(words.GENERAL_ADJECTIVES + words.GROUP_ADJECTIVES[group])
            degree = self.choice.one_of(words.DEGREES) if shape.degree else None
            self.being(subject, adjective, degree, shape.negated)
            return
        verb = self.choice.one_of(_verbs_for(shape))
        self.pair.write(self.any_noun(verb.subjects, shape.subject))
        told = (lambda: self.any_noun(verb.objects, shape.object)) if verb.objects else None
        self.rest(shape, verb, self.mentions[0].plural, told)

    def host(self, shape: Shape, cast: Cast) -> Tuple[Mention, Mention]:
        """A clause with two nouns of unlike gender, which a pronoun after it may stand for."""
        self.pair.write(self.noun_phrase(cast.subject, cast.plural, shape.subject, cast.determiner))
        self.rest(
            shape,
            cast.verb,
            cast.plural,
            lambda: self.noun_phrase(cast.object, cast.plural, shape.object, cast.determiner),
        )
        return self.mentions[0], self.mentions[1]

    def pronoun(self, shape: Shape, predicate: Predicate) -> None:
        pick, pair, mention = self.choice.one_of, self.pair, predicate.mention
        gender = mention.noun.gender
        position = pair.read(words.THEY if mention.plural else words.IT)
        if not mention.plural:
            pair.antecedents.append(
                Antecedent(position, mention.position, len(pair.target), gender)
            )
        pair.write([(words.pronoun(gender, mention.plural), (position,))])
        if shape.kind == "it is":
            degree = (predicate.degree or pick(words.DEGREES)) if shape.degree else None
            self.being(mention, pick(predicate.adjectives), degree, shape.negated)
        else:
            self.rest(shape, pick(words.INTRANSITIVE), mention.plural)


def _verbs_for(shape: Shape) -> List[words.Verb]:
    if shape.kind == "acts":
        return words.INTRANSITIVE
    if shape.object == WITH_OF:  # a bank is somewhere to go
        return _TO_PLACES
    return words.TRANSITIVE


_TO_PLACES = [verb for verb in words.TRANSITIVE if verb.objects == {words.PLACE}]
