"""JSON that is joined from parts is the same as JSON that is encoded as a whole, with each part on its own lines."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kismet_build.render.data.json_writer import encode, items, json_file, list_chunks, merge_objects, object_chunks

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), ANYTHING, min_size=1, max_size=3)


def test_json_has_an_indent_of_two_and_keeps_numbers_of_any_size() -> None:
    assert json_file({"dice": ["1d10"], "odds": 2**70}).decode() == (
        '{\n  "dice": [\n    "1d10"\n  ],\n  "odds": 1180591620717411303424\n}\n'
    )


@given(st.lists(st.lists(ANYTHING, max_size=3), max_size=3))
def test_joined_list_chunks_equal_the_encoded_list(parts: list[list[Any]]) -> None:
    joined = b"".join(list_chunks(items(map(encode, part)) for part in parts))
    values = [item for part in parts for item in part]
    assert json.loads(joined) == values
    assert joined == (b"[\n" + b",\n".join(map(encode, values)) + b"\n]" if values else b"[]")


@given(st.dictionaries(st.text(), st.lists(ANYTHING, max_size=3), max_size=3))
def test_joined_object_chunks_equal_the_encoded_object(members: dict[str, list[Any]]) -> None:
    texts = ((name, list_chunks([items(map(encode, member))])) for name, member in members.items())
    joined = b"".join(object_chunks(texts))
    assert json.loads(joined) == members
    assert [*json.loads(joined)] == [*members]


@given(OBJECTS, OBJECTS)
def test_two_objects_are_merged_member_by_member(one: dict[str, Any], other: dict[str, Any]) -> None:
    other = {name: value for name, value in other.items() if name not in one} or {"another": 1}
    assert merge_objects(encode(one), encode(other)) == encode({**one, **other})
