"""Each kind as JSON Lines."""

from collections.abc import Iterator

from kismet_build.extensions.packages.archive import rights
from kismet_build.model.json_writer import encode
from kismet_build.output.finished_data import FinishedData


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """Each kind as JSON Lines: one entry on each line, with its licence."""
    for kind, entities in data.pack["entities"].items():
        yield f"{kind}.jsonl", b"".join(encode({**entity, **rights(data.pack)}) + b"\n" for entity in entities)
