"""Compose an AsciiDoc text: include other files, and leave out what conditions exclude.

The directives are Asciidoctor's, and apply to lines, also within listings:
https://docs.asciidoctor.org/asciidoc/latest/directives/include/
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from posixpath import dirname, join, normpath, splitext
from types import MappingProxyType
from typing import Any, NamedTuple

from kismet_build.extensions.asciidoc.attributes import (
    ENTRY,
    REFERENCE,
    Attributes,
    given_attributes,
    set_attribute,
    substitute_attributes,
)
from kismet_build.extensions.asciidoc.include_parts import PARTS, selected_lines
from kismet_build.extensions.asciidoc.patterns import ATTRIBUTES, COMMENT_FENCE, DELIMITER, SECTION, TITLE, is_comment
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.diagnostic import Report, ignore, info, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import TOO_MUCH, Budget, Composition, Inputs

MAX_DEPTH = 64
"""Maximum depth of nested includes, as in Asciidoctor."""

ANY_DIRECTIVE = re.compile(r"^(?:\\|//[ \t]*)?(?:include|ifdef|ifndef|ifeval|endif)::", re.MULTILINE)
INCLUDE = re.compile(r"(\\)?include::([^\[]+)\[(.*)\]")
CONDITION = re.compile(r"(\\)?(ifdef|ifndef|ifeval|endif)::([^\s\[]*)\[(.*)\]")
OPERATOR = re.compile(r"[=!><]=|[><]")
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
LEVEL_OFFSET = re.compile(r"[+-]?\d+")
TEXT_SUFFIXES = frozenset((".adoc", ".asciidoc", ".asc", ".ad", ".txt"))
"""Suffixes of the files in which directives act."""
VERBATIM = frozenset("-.+/`~|,:!")
"""First characters of the delimiters of blocks in which attribute entries are plain text."""

INTRINSIC: Mapping[str, str] = MappingProxyType(
    {
        "asciidoctor": "",
        "backend": "html5",
        "backend-html5": "",
        "basebackend": "html",
        "basebackend-html": "",
        "doctype": "article",
        "doctype-article": "",
        "filetype": "html",
        "filetype-html": "",
    }
)
"""Attributes that Asciidoctor sets when it makes HTML. Conditions can test these attributes."""


def preprocess(source: Source, inputs: Inputs, report: Report) -> Source:
    """Compose a text: include files, and leave out what conditions exclude. Without directives, returns the same
    source.
    """
    if ANY_DIRECTIVE.search(source.text) is None:
        return source
    return _Preprocessor(source, inputs, report).run()


def preprocess_header(source: Source, inputs: Inputs) -> tuple[Source, frozenset[str]]:
    """The composed header of a text, and the paths of the files that are included in it, existing or not.

    An optional file is not among them.
    """
    preprocessor = _Preprocessor(header_of(source), inputs, ignore)
    return preprocessor.run(), frozenset(preprocessor.header_files)


def header_of(source: Source) -> Source:
    """The lines of a text that may belong to its header.

    A header ends at a blank line, unless the line is within a condition or nothing but attributes, comments and
    includes is above it.
    """
    depth, has_text, fence = 0, False, ""
    for number, start in enumerate(source.line_starts):
        text = source.line(number + 1).strip()
        if fence or COMMENT_FENCE.fullmatch(text):
            fence = "" if text == fence else fence or text
            continue
        condition = CONDITION.fullmatch(text)
        if condition is not None:
            depth += -1 if condition[2] == "endif" else condition[2] == "ifeval" or not condition[4]
        elif not text and has_text and depth <= 0:
            return Source(source.path, source.text[:start], source.digest, source.display_path)
        elif text and depth <= 0 and not is_comment(text):
            has_text = has_text or not any(pattern.fullmatch(text) for pattern in (INCLUDE, ENTRY, ATTRIBUTES))
    return source


class _Condition(NamedTuple):
    target: str
    span: Span
    is_skipped: bool
    """Whether the lines within the condition are left out."""


class _Preprocessor:
    """The state of one text while it is composed."""

    def __init__(self, source: Source, inputs: Inputs, report: Report) -> None:
        self.source, self.inputs, self.report = source, inputs, report
        self.state = ParseState(source, lambda _: None)
        self.state.attributes, self.state.locked = given_attributes(inputs.variables, source.path)
        self.composition = Composition()
        self.conditions: list[_Condition] = []
        self.files = [source.path]
        """The paths of the open files. The last file is being read, and each file includes the next."""
        self.parts: set[str] = set()
        self.budget, self.is_full = Budget(inputs.max_characters, inputs.of_game), False
        self.open_line: Span | None = None
        """The last line, if it lacks its line end."""
        self.entry: tuple[str, str] | None = None
        """An attribute whose value continues in the next line."""
        self.fence = ""
        """The line that ends the block around the next line; empty outside of verbatim blocks and tables."""
        self.is_before_title = True
        self.lacks_start = self.is_incomplete = False
        """Whether a file could not be included before the title, and in the header, where it may set attributes."""
        self.files_at_start: set[str] = set()
        self.header_files: set[str] = set()
        """The paths of the files that are included before the title, and in the header."""
        self.is_in_header = self.is_in_paragraph = False
        self.first_line = ""
        """The first line of text, directly after it: the next line may make it the title."""

    def run(self) -> Source:
        self.read_file(self.source, range(len(self.source.line_starts)))
        for condition in self.conditions:
            message = "this condition is never closed: it runs to the end of the text"
            self.report(warning("unbalanced-condition", condition.span, message, "write endif::[] where it ends"))
        parts = frozenset(self.parts - {self.source.path})
        return self.composition.source(self.source, parts, is_incomplete=self.is_incomplete)

    @property
    def is_skipping(self) -> bool:
        return bool(self.conditions) and self.conditions[-1].is_skipped

    # --- lines

    def read_file(self, source: Source, lines: Iterable[int]) -> None:
        """Add these lines of a file, counted from 0, and run the directives in them."""
        has_directives = splitext(source.path)[1].casefold() in TEXT_SUFFIXES or source is self.source
        starts, length = source.line_starts, len(source.text)
        for number in lines:
            start, end = starts[number], starts[number + 1] if number + 1 < len(starts) else length
            if start == length and number:  # after the last line end
                break
            self.read_line(source.span(start, end), has_directives)

    def read_line(self, line: Span, has_directives: bool = True) -> None:
        """Add a line, or run the directive in the line. `line` includes the line end, if there is one."""
        text = line.text.rstrip()
        if has_directives and "::" in text and text.endswith("]"):
            if (condition := CONDITION.fullmatch(text)) is not None:
                if not condition[1]:
                    self.read_condition(line, condition)
                    return
            elif (include := INCLUDE.fullmatch(text)) is not None and not include[1]:
                self.read_include(line, include)
                return
            if text[0] == "\\" and (condition or include):
                line, text = line.source.span(line.start + 1, line.end), text[1:]
            elif is_comment(text) and (include := INCLUDE.fullmatch(text.lstrip("/ "))) is not None:
                self.leave_out(line, include)
        if not self.is_skipping:
            self.add_line(line, text)

    def add_line(self, line: Span, text: str) -> None:
        """Add a line to the composed text. `text`: the line without white space at its end."""
        self.end_line()
        self.composition.add(line)
        if not line.text.endswith("\n"):
            self.open_line = line
        self.follow(text)

    def end_line(self) -> None:
        """Add the line end that the last line of a file may lack."""
        if self.open_line is not None:
            end = self.open_line.end
            self.composition.replace(self.open_line.source.span(end, end), "\n")
            self.open_line = None

    def add_lines(self, directive: Span, *texts: str) -> None:
        self.end_line()
        for text in texts:
            self.composition.replace(directive, f"{text}\n")
            self.follow(text)

    # --- attributes

    def follow(self, text: str) -> None:
        """Set the attribute that a line defines. Lines of paragraphs and verbatim blocks define none."""
        first, self.first_line = self.first_line, ""
        if first and text == "=" * len(text) and abs(len(first) - len(text)) < 2:
            self.begin_header()
            return
        if self.entry is not None:
            name, value = self.entry
            self.set(name, value.removesuffix("\\").rstrip() + " " + text.strip())
        elif self.fence:
            if text == self.fence:
                self.fence = ""
        elif not text:
            self.is_in_paragraph = self.is_in_header = False
        elif (self.is_in_header or not self.is_in_paragraph) and (entry := ENTRY.fullmatch(text)) is not None:
            self.set(entry[1].lower(), entry[2] or "")
        elif DELIMITER.fullmatch(text):
            self.is_in_paragraph = False
            self.is_before_title = self.is_before_title and text[0] == "/"
            if text[0] in VERBATIM and text != "--":
                self.fence = text[: len(text) - len(text.lstrip("`"))] or text
        elif not self.is_in_paragraph and not self.is_in_header:  # the header also has lines with authors and revision
            if is_comment(text) or ATTRIBUTES.fullmatch(text) or TITLE.fullmatch(text):
                return
            is_heading = SECTION.fullmatch(text) is not None
            if is_heading and self.is_before_title:
                self.begin_header()
                return
            self.first_line = text if self.is_before_title else ""
            self.is_in_header = self.is_before_title = False
            self.is_in_paragraph = not is_heading

    def begin_header(self) -> None:
        self.is_in_header, self.is_in_paragraph, self.is_before_title = True, False, False
        self.is_incomplete = self.is_incomplete or self.lacks_start
        self.header_files |= self.files_at_start

    def set(self, name: str, value: str) -> None:
        """Set an attribute, unless its value continues in the next line."""
        if value.endswith("\\"):
            self.entry = name, value
        else:
            self.entry = None
            set_attribute(name, value, self.state)

    def has(self, name: str) -> bool:
        return name in self.state.attributes or (name in INTRINSIC and name not in self.state.locked)

    # --- conditions

    def read_condition(self, line: Span, match: re.Match[str]) -> None:
        name, target, text = match[2], match[3].lower(), match[4]
        if name == "endif":
            self.end_condition(line, target, text)
            return
        is_block = name == "ifeval" or not text
        is_fulfilled = not self.is_skipping
        if is_fulfilled:
            fulfilled = self.compare(text) if name == "ifeval" else self.is_set(name, target)
            if fulfilled is None or (name == "ifeval") == bool(target):
                message = "this condition cannot be read, so it has no effect"
                hint = 'write ifdef::name[], ifndef::name[] or ifeval::["{name}" == "value"]'
                self.report(warning("unbalanced-condition", line, message, hint))
                return
            is_fulfilled = fulfilled
        if is_block:
            self.conditions.append(_Condition(target, line, not is_fulfilled))
        elif not is_fulfilled:
            if (include := INCLUDE.fullmatch(text.rstrip())) is not None:
                self.leave_out(line, include)
        else:
            start = line.start + match.start(4)
            end = start + len(text.rstrip())
            if INCLUDE.fullmatch(text.rstrip()):
                self.read_line(line.source.span(start, end))
            else:
                self.add_line(line.source.span(start, end), text.rstrip())

    def end_condition(self, line: Span, target: str, text: str) -> None:
        expected = self.conditions[-1].target if self.conditions else ""
        if self.conditions and not text and target in ("", expected):
            self.conditions.pop()
            return
        message, hint = "this endif has no condition to close", "remove it, or write the condition above it"
        if self.conditions:
            message, hint = "this endif does not match the condition that is open", f"write endif::{expected}[]"
        self.report(warning("unbalanced-condition", line, message, hint))

    def is_set(self, name: str, target: str) -> bool:
        """Whether an `ifdef` or `ifndef` is fulfilled. Between names, a comma means "or", and a plus "and"."""
        separator = next((character for character in target if character in ",+"), ",")
        found = [self.has(attribute) for attribute in target.split(separator)]
        is_any = separator == ","
        if name == "ifdef":
            return any(found) if is_any else all(found)
        return not (any(found) if is_any else all(found))

    def compare(self, text: str) -> bool | None:
        """Whether a comparison is true; `None` if the text is not a comparison."""
        text = text.strip()
        operator = OPERATOR.search(text, 1)
        if operator is None or not text[operator.end() :].strip():
            return None
        left, right = self.value(text[: operator.start()].rstrip()), self.value(text[operator.end() :].strip())
        have_order = {type(left), type(right)} in ({str}, {float})
        match operator[0]:
            case "==":
                return type(left) is type(right) and left == right
            case "!=":
                return type(left) is not type(right) or left != right
            case "<":
                return have_order and left < right
            case ">":
                return have_order and left > right
            case "<=":
                return have_order and left <= right
        return have_order and left >= right

    def value(self, text: str) -> Any:
        """A value in a comparison: a string in quotes, true, false or a number; `None` if it is empty."""
        is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
        text = REFERENCE.sub("", self.substitute(text[1:-1] if is_quoted else text))
        if is_quoted:
            return text
        if text in ("", "true", "false"):
            return {"true": True, "false": False}.get(text)
        number = NUMBER.match(text)
        return float(number[0]) if number else 0.0

    def substitute(self, text: str) -> str:
        if "{" not in text:
            return text
        attributes = self.state.attributes
        self.state.attributes = {**INTRINSIC, **attributes}
        text = substitute_attributes(text, self.state)
        self.state.attributes = attributes
        return text

    # --- includes

    def read_include(self, line: Span, match: re.Match[str]) -> None:
        target, attributes = self.substitute(match[2]).strip(), Attributes()
        attributes.add(self.substitute(match[3]))
        path = normpath(join(dirname(self.files[-1]), target))
        # An included file has no page, even if the include is skipped or selects a part: its page would show what is
        # left out.
        is_first = path not in self.parts
        self.parts.add(path)
        if is_first and not attributes.named.keys().isdisjoint(PARTS) and not self.is_skipping:
            message = f'a part of "{target}" is included, so it has no page: its other lines are not published'
            self.report(info("unresolved-include", line, message, "include all of it somewhere to publish it"))
        if self.is_skipping:
            return
        if "optional" not in attributes.options:
            self.header_files.update((path,) if self.is_in_header else ())
            self.files_at_start.update((path,) if self.is_before_title else ())
        fault, hint, source = self.find(path, target)
        lines, missing = selected_lines(source, attributes.named) if source else ((), ())
        if source is not None:
            is_whole = len(lines) == len(source.line_starts)
            text = source.text if is_whole else "\n".join(source.line(number + 1) for number in lines)
            if not self.budget.has_room(path, text, len(source.text)):
                self.is_full, fault, hint, source = True, TOO_MUCH, "divide it", None
        if source is None:
            if "optional" not in attributes.options and fault:
                self.is_incomplete = self.is_incomplete or self.is_in_header
                self.lacks_start = self.lacks_start or self.is_before_title
                message = f"this include shows nothing: {fault}"
                self.report(warning("unresolved-include", line, message, hint))
            return
        for tag in missing:
            message = f'"{target}" has no part with the tag "{tag}"'
            self.report(
                warning("unresolved-include", line, message, f"mark the part with tag::{tag}[] and end::{tag}[]")
            )
        self.include(line, source, lines, attributes.named.get("leveloffset", ""))

    def leave_out(self, line: Span, match: re.Match[str]) -> None:
        """Record that the file of an include in a comment or a false condition has no page: the author left it out."""
        path = normpath(join(dirname(self.files[-1]), self.substitute(match[2]).strip()))
        if self.inputs.read(path) is not None:
            self.parts.add(path)
            message = f'this include has no effect, so "{match[2]}" is not published, unless another text includes it'
            self.report(info("unresolved-include", line, message))

    def include(self, directive: Span, source: Source, lines: Sequence[int], offset: str) -> None:
        has_offset = LEVEL_OFFSET.fullmatch(offset) is not None and bool(lines)
        outer = self.state.attributes.get("leveloffset")
        if has_offset:
            self.add_lines(directive, f":leveloffset: {offset}", "")
        self.files.append(source.path)
        self.read_file(source, lines)
        self.files.pop()
        if has_offset:
            self.add_lines(directive, "", ":leveloffset!:" if outer is None else f":leveloffset: {outer}")

    def find(self, path: str, target: str) -> tuple[str, str, Source | None]:
        """Why the file of a directive cannot be included, a hint, and the file (`None` if it cannot be included)."""
        if "://" in target:
            return "kismet reads no files from the internet", "copy the file into the folder of the game", None
        if path in self.files:
            return "the file would include itself", "", None
        if len(self.files) > MAX_DEPTH:
            return f"includes are nested more than {MAX_DEPTH} deep", "", None
        if self.is_full:
            return "", "", None
        source = self.inputs.read(path)
        if source is None:
            return self.inputs.fault(path), "the path starts from the folder of the file with the include", None
        return "", "", source
