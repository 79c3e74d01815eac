"""
Maps a user to a bucket and the bucket to its owner. This must never change: every client library computes the
same.
"""

from __future__ import annotations

from bisect import bisect_right
from struct import Struct
from typing import Generic, Optional, Sequence, Tuple, TypeVar

_Owner = TypeVar("_Owner")

_encode = str.encode
# Precompiled readers of 0, 1, 2, … little-endian blocks; longer texts make their own.
_BLOCK_READERS = tuple(Struct(f"<{count}I").unpack_from for count in range(64))


def encode_utf8(text: str) -> bytes:
    """
    Encodes a string as UTF-8. As in every other language's client, an unpaired surrogate becomes U+FFFD (EF
    BF BD), and a pair becomes its character.
    """
    try:
        return _encode(text)
    except UnicodeEncodeError:
        return _encode(_encode(text, "utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))


def murmur3(data: bytes, seed: int) -> int:
    """
    Computes MurmurHash3 x86 32 (Austin Appleby, public domain) as an unsigned integer. `seed` has 32 bits.
    """
    hash_so_far, rest = _mix_whole_blocks(data, seed)
    return _finish(hash_so_far, rest, len(data))


def _mix_whole_blocks(data: bytes, seed: int) -> Tuple[int, bytes]:
    """Mixes all whole blocks of 4 bytes into the hash; returns it with the last 0 to 3 bytes."""
    count = len(data) >> 2
    read = _BLOCK_READERS[count] if count < 64 else Struct(f"<{count}I").unpack_from
    mixed = seed
    for block in read(data):
        # A product is cut to 32 bits only at the end: higher bits never change lower ones.
        scrambled = block * 0xCC9E2D51 & 0xFFFFFFFF
        mixed ^= (scrambled << 15 | scrambled >> 17) * 0x1B873593 & 0xFFFFFFFF
        mixed = (mixed << 13 | mixed >> 19) * 5 + 0xE6546B64 & 0xFFFFFFFF
    return mixed, data[count << 2 :]


def _finish(mixed: int, rest: bytes, length: int) -> int:
    # An empty rest is 0 and changes nothing.
    scrambled = int.from_bytes(rest, "little") * 0xCC9E2D51 & 0xFFFFFFFF
    mixed ^= (scrambled << 15 | scrambled >> 17) * 0x1B873593 & 0xFFFFFFFF ^ length
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return mixed ^ mixed >> 16


def user_digest(salt: str, experiment_id: str, user: str) -> str:
    """Returns the 16 hex digits by which the config names a QA user of the experiment."""
    data = encode_utf8(f"{salt}:{experiment_id}:{user}")
    return f"{murmur3(data, 1):08x}{murmur3(data, 2):08x}"


class Bucketing:
    """
    Computes the buckets of one experiment's users. The common prefix of all hashes (the salt and the id) is
    hashed once here; only the user's own bytes are hashed for each user.
    """

    __slots__ = ("_bucket_count", "_mixed", "_prefix_length", "_rest")

    def __init__(self, salt: str, experiment_id: str, bucket_count: int) -> None:
        """`experiment_id` is the canonical lower-case UUID, never the name; `bucket_count` is positive."""
        prefix = encode_utf8(f"{salt}:{experiment_id}:")
        self._mixed, self._rest = _mix_whole_blocks(prefix, 0)
        self._prefix_length = len(prefix) - len(self._rest)
        self._bucket_count = bucket_count

    def bucket_of(self, user: str) -> int:
        """
        Computes the user's bucket, 0 to `bucket_count` - 1. The id is hashed as given, neither trimmed nor
        normalized.
        """
        data = self._rest + encode_utf8(user)
        mixed, rest = _mix_whole_blocks(data, self._mixed)
        return _finish(mixed, rest, self._prefix_length + len(data)) % self._bucket_count


class BucketMap(Generic[_Owner]):
    """The owner of each bucket: run i ends before `ends[i]` (ascending) and belongs to `owners[i]`."""

    __slots__ = ("_ends", "_owners")

    def __init__(self, ends: Sequence[int], owners: Sequence[Optional[_Owner]]) -> None:
        self._ends = tuple(ends)
        self._owners = (*owners, None)

    def owner_of(self, bucket: int) -> Optional[_Owner]:
        """Returns the owner of a bucket, or None when it belongs to nobody."""
        return self._owners[bisect_right(self._ends, bucket)]
