"""Run a command, and report any failure on one line."""

import argparse
import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from kismet_build.cli.arguments import parse
from kismet_build.cli.messages import OK, SYSTEM_ERROR, print_problem, usage_error
from kismet_build.model.process import collect_rarely
from kismet_build.model.watchdog import TooSlow

SECONDS_TO_INTERRUPT = 0.01
"""Seconds until an interrupt that Python ignored is raised again."""
UNTRUSTED_SECONDS = 600
"""Processor time that each process of a command with `--untrusted` may take."""
UNTRUSTED_BYTES = 4 * 2**30
"""Memory, in bytes, that each process of a command with `--untrusted` may reserve."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Rule books contain characters that the encodings of some terminals lack.
            stream.reconfigure(errors="replace")
    collect_rarely()
    options = argparse.Namespace()
    try:
        options = parse(arguments)
        if getattr(options, "untrusted", False) and arguments is None:  # otherwise the process has other work, too
            _bound_resources()
        status: int = options.run(options)
        if status not in range(256):
            raise TypeError(f"a command must return an exit status from 0 to 255, not {status!r}")
        return status
    except BrokenPipeError:
        # The reader closed the pipe, as in `kismet explain | head`.
        _discard_output()
        return OK
    except OSError as failure:
        return _system_error(failure)
    except KeyboardInterrupt:
        with suppress(OSError):
            print_problem("interrupted")
        return SYSTEM_ERROR
    except OutOfTime:
        print_problem(
            f"this command takes more than the {UNTRUSTED_SECONDS} s of processor time that --untrusted allows"
        )
        return SYSTEM_ERROR
    except TooSlow as failure:
        print_problem(f"internal error: a step over all texts does not end: {failure}; please report it")
        return SYSTEM_ERROR
    except MemoryError:
        print_problem("there is not enough memory; --jobs 1 needs less")
        return SYSTEM_ERROR
    except Exception as failure:
        from kismet_build.config.data_file import UsageError

        if isinstance(failure, UsageError):  # found while the texts were read
            return usage_error(str(failure))
        if isinstance(failure, RuntimeError) and str(failure).startswith("Symlink loop"):
            return usage_error(f"{failure}: this link leads to itself")
        if sys.flags.dev_mode:
            raise
        print_problem(_internal_error(failure, getattr(options, "package_of_command", "")))
        return SYSTEM_ERROR


def _internal_error(failure: Exception, package: str) -> str:
    from traceback import extract_tb

    place = extract_tb(failure.__traceback__)[-1]
    what = "a text is nested too deeply" if isinstance(failure, RecursionError) else repr(failure)
    where = f"{Path(place.filename).name}:{place.lineno}"
    if package:
        return f"this command of {package} failed: {what} ({where})"
    return f"internal error: {what} ({where}); please report it, with what `python -X dev -m kismet_build.cli` prints"


def run() -> NoReturn:
    """Run the command in `sys.argv`, and exit with its status."""
    _open_closed_streams()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # like Ctrl-C, which removes temporary folders
    sys.unraisablehook = _raise_interrupt_again
    try:
        status = main()
    except SystemExit as end:  # argparse exits in this way
        if isinstance(end.code, str):
            print_problem(end.code)
        status = end.code if isinstance(end.code, int) else SYSTEM_ERROR if end.code else OK
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as failure:
        status = _system_error(failure)
        _discard_output()
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        if active_children():
            sys.exit(status)  # terminates them
    # Skip the interpreter's shutdown: freeing a compiled book object by object takes a third of the time of a build
    # (docs/decisions/0026-processes.md).
    with suppress(OSError):  # the reader closed the stream
        sys.stderr.flush()
    os._exit(status)


def _raise_interrupt_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Raise again, a moment later, an interrupt that Python ignored, for example while it freed an object."""
    if unraisable.exc_type is KeyboardInterrupt and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_INTERRUPT)
    else:
        sys.__unraisablehook__(unraisable)


CURES = {
    errno.EACCES: "change its permissions, or use another folder",
    errno.EPERM: "change its permissions, or use another folder",
    errno.EROFS: "nothing can be written to this disk: use another folder",
    errno.ENOSPC: "free some space, or use another disk",
}
"""Hints for frequent errors of the operating system, by error number."""


def _system_error(failure: OSError) -> int:
    file = f": {failure.filename}" if failure.filename else ""
    cure = f"; {CURES[failure.errno]}" if failure.errno in CURES else ""
    with suppress(OSError):  # standard error may be what failed
        print_problem(f"{failure.strerror or failure}{file}{cure}")
    return SYSTEM_ERROR


def _open_closed_streams() -> None:
    """Open `os.devnull` for closed standard streams: otherwise another file would get their descriptors."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            setattr(sys, name, open(descriptor, "w" if descriptor else "r", encoding="utf-8"))  # noqa: SIM115


def _discard_output() -> None:
    discard = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a stream without a descriptor
            os.dup2(discard, stream.fileno())
    os.close(discard)


class OutOfTime(BaseException):
    """The processor time of `--untrusted` is used up.

    The class does not derive from `Exception`, which would count as the fault of one text.
    """


def _bound_resources() -> None:
    """Let the system limit the time and memory of this process and of each of its children."""
    try:
        import resource
    except ImportError:
        raise OSError(errno.ENOSYS, "this system cannot limit time and memory, which --untrusted requires") from None

    def end(*_: object) -> NoReturn:
        raise OutOfTime

    signal.signal(signal.SIGXCPU, end)
    for limit, most in ((resource.RLIMIT_CPU, UNTRUSTED_SECONDS), (resource.RLIMIT_AS, UNTRUSTED_BYTES)):
        _, hard = resource.getrlimit(limit)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (allowed, hard))
