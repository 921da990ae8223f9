"""Simulate a failing disk: count file operations in some folders, and let any of them fail."""

import builtins
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

READING = ("stat", "lstat", "scandir", "listdir", "readlink", "open to read", "read")
WRITING = ("mkdir", "rename", "replace", "link", "symlink", "unlink", "rmdir", "chmod", "open to write", "write")
CALLS = (*READING, *WRITING)
"""The counted operations: functions of `os`, and operations on open files."""


@dataclass
class Disk:
    """The operations so far, and a hook that can make one fail."""

    folders: Sequence[Path]
    action: Callable[[str, str], None]
    """Called with name and path before each operation in these folders; it may raise `OSError`."""
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Names and paths of the operations."""

    def __post_init__(self) -> None:
        self._process = os.getpid()
        self._roots = tuple(os.fspath(folder) for folder in self.folders)

    def called(self, name: str, path: object) -> None:
        if not isinstance(path, str | os.PathLike):
            return  # a file descriptor
        absolute = os.path.join(os.getcwd(), os.fspath(path))
        if os.getpid() == self._process and absolute.startswith(self._roots):
            self.calls.append((name, absolute))
            self.action(name, absolute)


class _File(io.FileIO):
    def __init__(self, disk: Disk, path: Any, mode: str, opener: Any = None) -> None:
        super().__init__(path, mode, opener=opener)
        self._disk = disk

    def readall(self) -> bytes:
        self._disk.called("read", self.name)
        return super().readall() or b""

    def readinto(self, buffer: Any) -> int | None:
        self._disk.called("read", self.name)
        return super().readinto(buffer)

    def write(self, content: Any) -> int:
        self._disk.called("write", self.name)
        return super().write(content) or 0


@contextmanager
def failing_disk(disk: Disk) -> Iterator[None]:
    """Report this process's file operations to a disk until the end of the block."""
    with ExitStack() as stack:
        for name in set(CALLS).intersection(vars(os)):
            stack.enter_context(patch.object(os, name, _counted(disk, name, getattr(os, name))))
        opened = _opener(disk, io.open)
        stack.enter_context(patch.object(io, "open", opened))
        stack.enter_context(patch.object(builtins, "open", opened))
        yield


def _counted(disk: Disk, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        disk.called(name, arguments[0] if arguments else ".")
        return function(*arguments, **named)

    return call


def _opener(disk: Disk, function: Callable[..., Any]) -> Callable[..., Any]:
    def opened(file: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **named: Any) -> Any:
        if not isinstance(file, str | os.PathLike):
            return function(file, mode, buffering, *arguments, **named)
        is_writing = bool(set("wax+") & set(mode))
        disk.called("open to write" if is_writing else "open to read", file)
        opener = named.pop("opener", None)
        raw = _File(disk, file, mode.replace("b", "").replace("t", ""), opener)
        if buffering == 0:
            return raw
        buffered: Any = io.BufferedWriter(raw) if is_writing else io.BufferedReader(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, *arguments, **named)

    return opened
