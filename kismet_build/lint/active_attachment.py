"""`active-attachment`: a file that can run code, which is published as a download or without its scripts."""

from functools import lru_cache
from pathlib import Path

from kismet_build.model.active_content import clean_svg, is_download, is_svg
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.source import Span, read_regular_file
from kismet_build.pack import Pack


def active_attachment(pack: Pack, report: Report) -> None:
    """Report each file that can run code once: at its first link, with the other links as related places."""
    uses: dict[str, list[Span]] = {}
    for links in pack.book.links.values():
        for span, file in links.attachments.items():
            uses.setdefault(file, []).append(span)
    files = pack.game.files
    for file, (first, *others) in uses.items():
        related = tuple(Related(span, "also here") for span in others)
        if is_download(file):
            message = f'"{file}" can run code, so it is published as a download'
            report(warning("active-attachment", first, message, related=related))
        elif is_svg(file) and _has_scripts(files.file(file), files.root_of(file)):
            message = f'the image "{file}" contains code, which is not published'
            report(warning("active-attachment", first, message, related=related))


def _has_scripts(file: Path, root: Path) -> bool:
    try:
        status = file.stat()
        return _had_scripts(file, root, status.st_mtime_ns, status.st_size)
    except OSError:  # if the file was deleted meanwhile, publishing reports it
        return False


@lru_cache(maxsize=10_000)
def _had_scripts(file: Path, root: Path, _modified: int, _size: int) -> bool:
    """Whether an image has scripts. `kismet serve` reads the image again only if its time or size changes."""
    return clean_svg(read_regular_file(file, root)).had_scripts
