"""A toy pair of languages, the same for every seed: words are translated one by one, and an adjective goes behind its noun."""

import random

WORDS = {
    "de": "haus baum hund katze straße stadt fluss berg rot grün blau gelb weiß schwarz groß klein eins zwei drei vier fünf sechs",
    "en": "house tree dog cat street town river mountain red green blue yellow white black large small one two three four five six",
}
NOUNS, ADJECTIVES, NUMBERS = range(8), range(8, 16), range(16, 22)


def pair(chance):
    source, target = [], []
    for _ in range(chance.randint(1, 3)):
        noun, adjective, number = chance.choice(NOUNS), chance.choice(ADJECTIVES), chance.choice(NUMBERS)
        if chance.random() < 0.4:
            source.append(number)
            target.append(number)
        with_adjective = chance.random() < 0.6
        source += [adjective, noun] if with_adjective else [noun]
        target += [noun, adjective] if with_adjective else [noun]
    return source, target


def pairs(count, seed=1):
    """(source, target) lines of German and of an English with adjectives behind their nouns."""
    chance = random.Random(seed)
    words = {language: text.split() for language, text in WORDS.items()}
    for _ in range(count):
        source, target = pair(chance)
        yield " ".join(words["de"][i] for i in source), " ".join(words["en"][i] for i in target)


def write(folder, count=3000, seed=1):
    """Writes train.de and train.en into the folder."""
    lines = list(pairs(count, seed))
    for side, language in enumerate(WORDS):
        text = "".join(line[side] + "\n" for line in lines)
        (folder / f"train.{language}").write_text(text, encoding="utf-8")


def sources(count=40, seed=2):
    """Lines to translate: sentences as in training, and some with letters, digits and signs that no vocabulary has."""
    odd = ["Haus 42, (baum)!", "ein ŧest 漢字 hund", "katze  katze katze", "🙂", "groß-er fluss"]
    return [source for source, _ in pairs(count - len(odd), seed)] + odd


def targets(count=40, seed=2):
    """References for sources(); those of the odd lines are arbitrary."""
    odd = ["House 42, (tree)!", "a ŧest 漢字 dog", "cat cat cat", "🙂", "river larg-er"]
    return [target for _, target in pairs(count - len(odd), seed)] + odd
