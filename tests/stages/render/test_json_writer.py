"""JSON files of encoded records have the same data as files encoded at once, and each record has its own lines."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kismet_build.model.json_writer import encode, encoded_members, json_file, list_pieces, object_pieces

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_json_has_an_indent_of_two_and_keeps_numbers_of_any_size() -> None:
    assert json_file({"dice": ["1d10"], "odds": 2**70}).decode() == (
        '{\n  "dice": [\n    "1d10"\n  ],\n  "odds": 1180591620717411303424\n}\n'
    )


@given(st.dictionaries(st.text(), ANYTHING, max_size=3), st.dictionaries(st.text(), st.lists(ANYTHING), max_size=3))
def test_encoded_records_make_the_json_of_the_whole(head: dict[str, Any], lists: dict[str, list[Any]]) -> None:
    listed = {name: list_pieces(map(encode, records)) for name, records in lists.items()}
    joined = b"".join(object_pieces({**encoded_members(head), **listed}))
    assert json.loads(joined) == {**head, **lists}
    assert [*json.loads(joined)] == [*{**head, **lists}]
    assert joined.count(b"\n") == sum(map(len, lists.values())), "each record begins a line"
