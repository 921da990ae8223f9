"""The option `--dask` of `kismet build`."""

import argparse
from contextlib import AbstractContextManager, closing, nullcontext
from typing import TYPE_CHECKING

from kismet_build.cli.build_part import BuildPart

if TYPE_CHECKING:
    from kismet_build.driver.workers import Workers


def _add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="build the games on the workers of the Dask cluster whose scheduler is at ADDRESS, such as "
        "tcp://127.0.0.1:8786",
    )


def _workers(options: argparse.Namespace) -> "AbstractContextManager[Workers | None]":
    if options.dask is None:
        return nullcontext()
    from kismet_build.extensions.cluster.dask import Cluster

    return closing(Cluster(options.dask))


def _check(options: argparse.Namespace, _is_new: bool) -> None:
    if options.dask is not None and options.untrusted:
        from kismet_build.config.data_file import UsageError

        raise UsageError("--untrusted limits the processes of this machine, not those of the workers of --dask")


dask = BuildPart(_add_arguments, _check, _workers)
