"""A toy pair of languages, the same for every seed: words are translated one by one, and an adjective goes after its noun."""

import random

WORDS = {
    "de": "haus baum hund katze straße stadt fluss berg rot grün blau gelb weiß schwarz groß klein eins zwei drei vier fünf sechs",
    "en": "house tree dog cat street town river mountain red green blue yellow white black large small one two three four five six",
}
NOUNS, ADJECTIVES, NUMBERS = range(8), range(8, 16), range(16, 22)


def pair(chance):
    """Numbers of words of both sides, and links between them."""
    source, target, links = [], [], []
    for _ in range(chance.randint(1, 3)):
        noun, adjective, number = chance.choice(NOUNS), chance.choice(ADJECTIVES), chance.choice(NUMBERS)
        words = [number] if chance.random() < 0.4 else []
        links += [(len(source) + i, len(target) + i) for i in range(len(words))]
        begin = len(source) + len(words)
        if chance.random() < 0.6:
            source += [*words, adjective, noun]
            target += [*words, noun, adjective]
            links += [(begin, begin + 1), (begin + 1, begin)]
        else:
            source += [*words, noun]
            target += [*words, noun]
            links.append((begin, begin))
    return source, target, links


def pairs(count, seed=1):
    """(source, target) lines of German and of an English with adjectives after their nouns."""
    chance = random.Random(seed)
    words = {language: text.split() for language, text in WORDS.items()}
    for _ in range(count):
        source, target, _ = pair(chance)
        yield " ".join(words["de"][i] for i in source), " ".join(words["en"][i] for i in target)


def links(count=3000, seed=1):
    """The links (source word, target word) of each of pairs(count, seed)."""
    chance = random.Random(seed)
    return [pair(chance)[2] for _ in range(count)]


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
