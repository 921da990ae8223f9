"""The options `--release` and `--against` of `kismet build`."""

import argparse
from typing import TYPE_CHECKING

from kismet_build.cli.build_part import BuildPart
from kismet_build.cli.command import path_argument

if TYPE_CHECKING:
    from kismet_build.extensions.packages.release import VersionCheck


def _add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--release",
        action="store_true",
        help="leave the output folder unchanged if the version of a game does not fit the changes in its data since "
        "the last build into this folder",
    )
    command.add_argument(
        "--against",
        type=path_argument,
        metavar="PATH",
        help="like --release, but compare with released data: the zip with all data of a game, a folder of them, "
        "or a website",
    )


def _check(options: argparse.Namespace, is_new: bool) -> "VersionCheck | None":
    if not (is_new or options.release or options.against):
        return None
    from kismet_build.extensions.packages.release import version_check

    return version_check(options.out, options.against, is_release=options.release)


release = BuildPart(_add_arguments, check=_check)
