"""Archives in memory: zip and tar with gzip. With the same version of zlib, equal files give equal archives."""

import gzip
import tarfile
import zipfile
from collections.abc import Container, Mapping
from io import BytesIO

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of all members of a zip file: the earliest time that a zip file can store."""
READABLE = 0o100644
"""Type and mode of all members: a regular file that everyone may read."""
COMPRESSION = 6
"""The gzip level. The highest level takes twice as long and saves only a hundredth of the size."""
UNIX = 3
"""The operating system in a zip file, which defines the meaning of modes."""


def zip_file(files: Mapping[str, bytes], uncompressed: Container[str] = ()) -> bytes:
    """A zip archive of files by path, in this order.

    `uncompressed`: the paths of files that are stored without compression.
    """
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for path, content in files.items():
            member = zipfile.ZipInfo(path, EARLIEST)
            member.compress_type = zipfile.ZIP_STORED if path in uncompressed else zipfile.ZIP_DEFLATED
            member.create_system = UNIX
            member.external_attr = READABLE << 16
            opened.writestr(member, content)
    return archive.getvalue()


def tgz_file(files: Mapping[str, bytes]) -> bytes:
    """A tar archive of files by path, in this order, compressed with gzip."""
    archive = BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as opened:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            member.mode = READABLE & 0o777
            opened.addfile(member, BytesIO(content))
    return gzip.compress(archive.getvalue(), COMPRESSION, mtime=0)
