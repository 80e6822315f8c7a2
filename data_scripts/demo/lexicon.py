"""The words of both languages.

The source is a small English. The target is invented: three genders in the singular (-o, -a, -e)
and one common plural, so that a determiner, an adjective and a pronoun all need the noun they
belong to. Every word is regular and every choice is about equally likely: a sentence is long to
remember but quick to learn.
"""

from dataclasses import dataclass, replace
from typing import Dict, FrozenSet, List, Tuple

MASCULINE, FEMININE, NEUTER = "m", "f", "n"
VOWEL = {MASCULINE: "o", FEMININE: "a", NEUTER: "e"}
PLURAL_VOWEL = "i"

PERSON, ANIMAL, PLACE, THING, CONTAINER = "person", "animal", "place", "thing", "container"
ANIMATE = frozenset({PERSON, ANIMAL})
GOODS = frozenset({THING, CONTAINER})
ANYTHING = ANIMATE | GOODS | {PLACE}

# Adjectives that only one group of nouns can have decide what a pronoun stands for.
GROUP_OF_KIND = {
    PERSON: "living",
    ANIMAL: "living",
    PLACE: "place",
    THING: "goods",
    CONTAINER: "goods",
}


@dataclass(frozen=True)
class Noun:
    singular: str
    plural: str
    target: str  # the singular; its last letter is the gender's vowel
    kind: str

    @property
    def gender(self) -> str:
        return {"o": MASCULINE, "a": FEMININE, "e": NEUTER}[self.target[-1]]

    def source_form(self, plural: bool) -> str:
        return self.plural if plural else self.singular

    def of_gender(self, gender: str) -> "Noun":
        """What the noun would be in another gender; no word of the language."""
        return replace(self, target=self.target[:-1] + VOWEL[gender])

    def target_form(self, plural: bool) -> str:
        return self.target + "s" if plural else self.target


@dataclass(frozen=True)
class Verb:
    past: str
    base: str
    stem: str
    subjects: FrozenSet[str]
    objects: FrozenSet[str] = frozenset()

    def target_form(self, plural: bool) -> str:
        return self.stem + ("en" if plural else "et")


def _nouns(kind: str, text: str) -> List[Noun]:
    """Entries `singular target` or `singular/plural target`."""
    words = text.split()
    nouns = []
    for english, target in zip(words[::2], words[1::2]):
        singular, _, plural = english.partition("/")
        nouns.append(Noun(singular, plural or singular + "s", target, kind))
    return nouns


PEOPLE = _nouns(
    PERSON,
    """man/men omo  woman/women dama  boy knabo  girl nina  teacher magistro
    queen regina  child/children kinde  farmer akero""",
)
ANIMALS = _nouns(
    ANIMAL,
    """animal bestie  dog kano  cat gata  horse kabalo  bird avise  wolf/wolves lupo
    fox/foxes reine  goat zikla  cow vaka""",
)
PLACES = _nouns(
    PLACE,
    """street strada  river rivo  bridge brukke  field felde  garden jardo  forest valde
    village dorfo  city/cities zivita  lake lako  mountain berge  square plaza  island insula""",
)
THINGS = _nouns(
    THING,
    """trophy/trophies pokale  book libro  lamp lampa  clock horlo  chair sede
    bottle flaska  picture bilde  hat kapo  mirror spegla""",
)
CONTAINERS = _nouns(
    CONTAINER,
    """suitcase valiza  box/boxes kofro  basket korbe  drawer lada  chest trumo
    barrel fasse""",
)

# Two meanings, two translations, told apart by the verb: the bat slept, the boy broke the bat.
HOMONYMS = _nouns(ANIMAL, "bat noktula  crane grue  seal foko") + _nouns(
    THING, "bat klabo  crane kranna  seal sigile"
)

# Told apart by what follows: the bank of the river, the bank of the city.
SHORE = Noun("bank", "banks", "ripa", PLACE)
MONEY_HOUSE = Noun("bank", "banks", "banko", PLACE)
SHORE_OF = [noun for noun in PLACES if noun.singular in ("river", "lake")]
MONEY_HOUSE_OF = [noun for noun in PLACES if noun.singular in ("village", "city")]

NOUNS = PEOPLE + ANIMALS + PLACES + THINGS + CONTAINERS + HOMONYMS
NOUNS_OF_KIND: Dict[str, List[Noun]] = {
    kind: [noun for noun in NOUNS if noun.kind == kind]
    for kind in (PERSON, ANIMAL, PLACE, THING, CONTAINER)
}
HOMONYM_WORDS = frozenset(noun.singular for noun in HOMONYMS)


def _pairs(text: str) -> List[Tuple[str, str]]:
    words = text.split()
    return list(zip(words[::2], words[1::2]))


GENERAL_ADJECTIVES = _pairs(
    "old vetr  new nov  red ros  white blank  black ner  green verd  big grand  small pik"
)
GROUP_ADJECTIVES = {
    "living": _pairs("tired fess  hungry famin  thirsty sikk  lazy pigr"),
    "place": _pairs("wide larg  narrow smal  crowded plenn  muddy fang"),
    "goods": _pairs("broken romp  heavy grav  expensive karr  rusty rust"),
}
ADJECTIVES = GENERAL_ADJECTIVES + [pair for group in GROUP_ADJECTIVES.values() for pair in group]
TOO_BIG, TOO_SMALL = ("big", "grand"), ("small", "pik")


def _verbs(subjects, objects, text: str) -> List[Verb]:
    words = text.split()
    return [
        Verb(past, base, stem, frozenset(subjects), frozenset(objects))
        for past, base, stem in zip(words[::3], words[1::3], words[2::3])
    ]


INTRANSITIVE = _verbs(
    ANIMATE,
    (),
    """slept sleep dorm  waited wait esper  sang sing kant  rested rest repos
    swam swim natt  ran run korr  fell fall tomb""",
)
TRANSITIVE = (
    _verbs(
        ANIMATE,
        {PLACE},
        "crossed cross krus  reached reach arrib  avoided avoid evit  left leave partir",
    )
    + _verbs(ANIMATE, {ANIMAL}, "chased chase jag  followed follow sekk")
    + _verbs({PERSON}, {ANIMAL}, "fed feed nutr")
    + _verbs(ANIMATE, {PERSON}, "helped help jelp  met meet enkont")
    + _verbs(
        ANIMATE,
        GOODS,
        "broke break brek  carried carry port  dropped drop kadd  lost lose perd  left leave lass",
    )
    + _verbs({PERSON}, GOODS | {ANIMAL}, "sold sell vend  bought buy komp")
    + _verbs(ANIMATE, ANYTHING, "found find trov  saw see vidd  liked like amm")
    + _verbs({PLACE} | GOODS, ANIMATE, "scared scare terr  stopped stop halt  pleased please plak")
)
FIT = Verb("fitted", "fit", "kabb", GOODS, frozenset({CONTAINER}))  # only "did not fit into"

WAS, WERE, COPULA = "was", "were", ("esta", "estan")
DID, NOT, NOT_TARGET = "did", "not", "nit"
IT, THEY = "it", "they"
INTO, INTO_TARGET, OF, OF_TARGET = "into", "indo", "of", "di"
DEGREES = _pairs("too tro  very molt  quite satt")
ADVERBS = _pairs(
    "slowly lentu  quickly rapidu  quietly kietu  often oftu  "
    "again denu  yesterday heru  twice duvu  suddenly subitu"
)
PREPOSITIONS = _pairs("in en  near prok  behind dret  beside apud  outside ekstr  around sirk")
COORDINATING = _pairs("and ed  but mas  so alor  then dunk")
SUBORDINATING = _pairs(
    "because perke  while dumke  although benke  when kuande  before avanke  until finke"
)
BECAUSE = ("because", "perke")

# Each determiner: source word, target stem; a stem that ends in "-" takes the noun's ending.
SINGULAR_DETERMINERS = [
    ("the", "l-"),
    ("a", "un-"),
    ("this", "st-"),
    ("my", "mi-"),
    ("your", "tu-"),
    ("every", "kadun"),
]
PLURAL_DETERMINERS = [
    ("the", "l-"),
    ("some", "un-"),
    ("these", "st-"),
    ("my", "mi-"),
    ("your", "tu-"),
    ("many", "multin"),
]


def ending(gender: str, plural: bool) -> str:
    return PLURAL_VOWEL if plural else VOWEL[gender]


def determiner(stem: str, gender: str, plural: bool) -> str:
    return stem[:-1] + ending(gender, plural) if stem.endswith("-") else stem


def pronoun(gender: str, plural: bool) -> str:
    return "el" + ending(gender, plural)


def sense_is_clear(noun: Noun, kinds) -> bool:
    """Whether a place that takes these kinds of noun tells the meanings of a homonym apart."""
    return noun.singular not in HOMONYM_WORDS or not {ANIMAL, THING} <= set(kinds)
