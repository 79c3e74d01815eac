"""million-ids.json: the buckets of a million ids, which every library generates itself."""

from __future__ import annotations

import hashlib
from typing import Callable, List

from conftest import vectors
from marked import text_of

from assay._bucketing import Bucketing

VECTORS = vectors("million-ids")
BUCKETING = Bucketing(VECTORS["salt"], VECTORS["experiment_id"], VECTORS["bucket_count"])
PER_DIGEST = 100_000


def make_draw() -> Callable[[int], int]:
    """The draws that the file's description defines."""
    x = 0x9E3779B9

    def below(n: int) -> int:
        nonlocal x
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        return x % n

    return below


def pair_of(point: int) -> List[int]:
    return [0xD800 + (point >> 10), 0xDC00 + (point & 0x3FF)]


def units_of(i: int, below: Callable[[int], int]) -> List[int]:
    kind = i % 8
    if kind == 0:
        return [ord(character) for character in f"user-{i}"]
    if kind == 1:
        return [ord("0123456789abcdef"[below(16)]) for _ in range(32)]
    if kind == 2:
        return [32 + below(95) for _ in range(1 + below(40))]
    if kind == 3:
        return [0xA0 + below(0xD760) for _ in range(1 + below(20))]
    if kind == 4:
        return [unit for _ in range(1 + below(10)) for unit in pair_of(below(0x100000))]
    if kind == 5:
        return [below(0x10000) for _ in range(1 + below(16))]
    if kind == 6:
        units = [97 + below(26) for _ in range(1 + below(12))]
        at = below(len(units))
        units[at] = 0xD800 + below(0x800)
        return units
    length = 200 + below(1801) if i % 256 == 7 else 40 + below(20)
    return [97 + below(26) for _ in range(length - 1)] + [0xE9]


def test_the_first_ids_have_the_units_and_buckets_of_the_file() -> None:
    below = make_draw()
    for i, first in enumerate(VECTORS["first"]):
        assert units_of(i, below) == first["utf16"]
        assert BUCKETING.bucket_of(text_of(first["utf16"])) == first["bucket"]


def test_a_million_ids_have_the_buckets_of_the_file() -> None:
    below = make_draw()
    digests = []
    for chunk in range(VECTORS["count"] // PER_DIGEST):
        digest = hashlib.sha256()
        for i in range(chunk * PER_DIGEST, (chunk + 1) * PER_DIGEST):
            digest.update(b"%d\n" % BUCKETING.bucket_of(text_of(units_of(i, below))))
        digests.append(digest.hexdigest())
    assert digests == VECTORS["digests"]
