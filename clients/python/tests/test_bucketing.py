from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay._bucketing import Bucketing, BucketMap, encode_utf8, murmur3

ANY_TEXT = st.text(st.characters(), max_size=300)
ANY_UNITS = st.lists(
    st.one_of(st.integers(0, 0xFFFF), st.integers(0xD800, 0xDFFF), st.integers(0, 127)), max_size=300
)


@given(st.text(max_size=12), st.text(max_size=12), ANY_UNITS, st.integers(1, 2**31 - 1))
def test_a_hash_begun_with_the_prefix_is_the_hash_of_the_whole(
    salt: str, id: str, units: list, count: int
) -> None:
    user = "".join(map(chr, units))
    whole = murmur3(encode_utf8(f"{salt}:{id}:") + encode_utf8(user), 0)
    assert Bucketing(salt, id, count).bucket_of(user) == whole % count


@given(ANY_UNITS)
def test_two_surrogates_that_make_a_pair_are_their_character(units: list) -> None:
    text = "".join(map(chr, units))
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert encode_utf8(text) == encode_utf8(joined)


def test_a_subclass_of_str_is_hashed_by_its_text() -> None:
    class Odd(str):
        def encode(self, *_: object) -> bytes:
            raise RuntimeError("encode")

    bucketing = Bucketing("s", "e", 1000)
    assert bucketing.bucket_of(Odd("user-1")) == bucketing.bucket_of("user-1")


@given(
    st.lists(st.tuples(st.integers(1, 5), st.sampled_from(["a", "b", None])), max_size=8), st.integers(0, 50)
)
def test_look_up_agrees_with_a_linear_search(runs: list, bucket: int) -> None:
    ends, owners, end = [], [], 0
    for length, owner in runs:
        end += length
        ends.append(end)
        owners.append(owner)
    expected = next((owner for stop, owner in zip(ends, owners) if bucket < stop), None)
    assert BucketMap(ends, owners).owner_of(bucket) == expected
