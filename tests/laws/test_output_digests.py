"""The outputs of entire libraries match the recorded digests, so every change of an output is noticed.

After a change that is meant to change outputs, `pytest --update tests/laws/test_output_digests.py` records the new
digests. `python -m tests.output_digests` names the files that differ from those of an earlier commit.
"""

from pathlib import Path

import pytest

from tests.command import skip_without
from tests.output_digests import digests_of, libraries, record, recorded, summary


@pytest.mark.parametrize("name", dict.fromkeys((*recorded(), *libraries())))
def test_outputs_are_those_recorded(name: str, scratch: Path, request: pytest.FixtureRequest) -> None:
    if name not in libraries():
        skip_without("the texts of other libraries, which cannot be shipped")
    # The bytes of the search index follow the order in which a file system lists the pages.
    digests = summary(digests_of(name, scratch, "--no-search"))
    if request.config.getoption("--update"):
        record(name, digests)
    assert digests == recorded().get(name)
