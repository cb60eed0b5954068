"""Made sentences: determiners, nouns and verbs, with one word that is both noun and verb, and IOB tags of phrases."""

from __future__ import annotations

import numpy as np

WORDS = {"D": ["the", "a"], "N": ["dog", "cat", "fish"], "V": ["sees", "eats", "fish"]}
PATTERNS = ["DNV", "DNVDN", "NVN", "VDN", "N"]


def sentences(n: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Words and tags of n sentences."""
    rng = np.random.default_rng(seed)
    tags = [list(PATTERNS[rng.integers(len(PATTERNS))]) for _ in range(n)]
    return [[WORDS[tag][rng.integers(len(WORDS[tag]))] for tag in own] for own in tags], tags


def dictionaries(words: list[list[str]]) -> list[list[dict[str, object]]]:
    """The features of each word."""
    return [[{"w": word, "length": len(word)} for word in sentence] for sentence in words]


def phrases(tags: list[list[str]]) -> list[list[str]]:
    """IOB tags: a determiner and its noun are a phrase."""
    return [
        [
            "O" if tag == "V" else "I-NP" if tag == "N" and t and own[t - 1] == "D" else "B-NP"
            for t, tag in enumerate(own)
        ]
        for own in tags
    ]
