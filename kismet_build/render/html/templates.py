"""Load the Jinja templates of the website, with those of an author in a sandbox."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from functools import cache, lru_cache, partial, wraps
from pathlib import Path
from traceback import walk_tb
from types import CodeType
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.nodes import Concat
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from kismet_build.config.data_file import SHIPPED, UsageError
from kismet_build.config.design import PUBLIC_TEMPLATES, TEMPLATES_FOLDER
from kismet_build.config.language.catalog import MAX_CATALOGS, Catalog
from kismet_build.model.cache_folder import cache_folder, read_cached_file, write_cached_file
from kismet_build.render.html.addresses import INDEX, site_href
from kismet_build.render.html.content_security_policy import policy

SITE = SHIPPED / "site"
AUTHOR_TEMPLATE = "author:"
"""Start of the file names of templates written by the author of a library."""
NAMED_ADDRESS = re.compile(
    r"((?<![^\s(),;])[A-Z0-9][^\s(),;]*(?: [A-Z0-9][^\s(),;]*){0,15}|(?<![^\s()])[^\s()]+) \((https?://[^\s()]+)\)"
)
"""A name with an address in parentheses after it. The name is a series of capitalized words, or else one word."""
MAX_REPEATED = 1_000_000
"""Maximum length to which an author's template may repeat or pad a string or list; also the maximum bits of a power."""
MAX_WRITTEN = 32_000_000
"""Maximum number of characters that an author's template or macro may write."""
MAX_PARTS = 2_000_000
"""Maximum number of strings that an author's template or macro may write, since even empty ones take memory."""
MAX_TEMPLATES = 256
"""Maximum number of compiled templates kept in the cache folder, shared by all installations of this program."""


def template(name: str, catalog: Catalog) -> jinja2.Template:
    """A template by its file name without `.html`, using the words of a catalog."""
    return _environment(catalog).get_template(f"{name}.html")


def macro(file: str, name: str, catalog: Catalog) -> Callable[..., Markup]:
    """A macro of a template.

    In a loop of thousands, a macro is faster than a template, since it does not look up variables.
    """
    function: Callable[..., Markup] = getattr(template(file, catalog).module, name)
    return function


@lru_cache(maxsize=MAX_CATALOGS)
def _environment(catalog: Catalog) -> jinja2.Environment:
    design = catalog.design
    shipped = jinja2.FileSystemLoader(SITE / "templates")
    own = jinja2.FunctionLoader(
        partial(_author_template, dict(design.templates), f"{design.folder}/{TEMPLATES_FOLDER}")
    )
    # An author's template can come from a stranger, in a change that somebody builds before reading it.
    environment = (_Sandbox if design.templates else jinja2.Environment)(
        loader=jinja2.ChoiceLoader((own, shipped, jinja2.PrefixLoader({"default": shipped}))),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=None if design.templates else _TemplateCache(),
    )
    environment.filters["linked"] = linked
    environment.filters["ornament"] = ornament
    environment.globals["policy"] = policy(design.policy)
    environment.globals["design"] = design
    environment.globals["index"] = INDEX
    environment.globals["site_href"] = site_href
    environment.globals["t"] = catalog.html
    return environment


class _Written(list[str]):
    """The output of an author's template or macro. Raises `SecurityError` as soon as the output is too large."""

    size = 0

    def append(self, part: str) -> None:
        self.size += len(part)
        if self.size > MAX_WRITTEN or len(self) >= MAX_PARTS:
            raise SecurityError(f"this writes more than {MAX_WRITTEN:,} characters or {MAX_PARTS:,} parts")
        super().append(part)

    def extend(self, parts: Iterable[str]) -> None:
        for part in parts:
            self.append(part)


class _CodeGenerator(CodeGenerator):
    """Lets macros, `set` blocks and `filter` blocks write into `_Written`, and checks the results of `~`."""

    def buffer(self, frame: Frame) -> None:
        frame.buffer = self.temporary_identifier()
        self.writeline(f"{frame.buffer} = environment.written()")

    def visit_Concat(self, node: Concat, frame: Frame) -> None:  # noqa: N802  # a name of Jinja
        self.write("environment.joined(")
        super().visit_Concat(node, frame)
        self.write(")")


class _BoundedTemplate(jinja2.Template):
    """A template whose body and blocks stop when their output is too large."""

    @classmethod
    def from_code(
        cls,
        environment: jinja2.Environment,
        code: CodeType,
        globals: MutableMapping[str, Any],
        uptodate: Callable[[], bool] | None = None,
    ) -> jinja2.Template:
        made = super().from_code(environment, code, globals, uptodate)
        made.root_render_func = _bounded_parts(made.root_render_func)
        made.blocks = {name: _bounded_parts(block) for name, block in made.blocks.items()}
        return made


def _bounded_parts(render: Callable[[Context], Iterator[str]]) -> Callable[[Context], Iterator[str]]:
    """Wrap the function of a body or block so that it raises `SecurityError` when its output is too large."""

    def bounded(context: Context) -> Iterator[str]:
        written = _Written()
        parts = render(context)
        for part in parts:
            try:
                written.append(part)
                yield part
            except SecurityError as problem:
                parts.throw(problem)  # type: ignore[attr-defined]  # a generator: the traceback gets the author's line

    return bounded


class _Sandbox(ImmutableSandboxedEnvironment):
    """Runs authors' templates, and limits what they write, join, repeat, pad or raise to a power.

    Jinja itself limits ranges.
    """

    intercepted_binops = frozenset(("+", "*", "**"))
    code_generator_class = _CodeGenerator
    template_class = _BoundedTemplate
    written = _Written

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name in ("batch", "center", "indent", "slice"):
            self.filters[name] = _bounded_width(self.filters[name])

    def call(self, context: Context, function: Any, /, *args: Any, **named: Any) -> Any:
        """Call a function. The widths of text methods such as `ljust` are limited."""
        if isinstance(getattr(function, "__self__", None), str):
            _check_widths(*args, *named.values())
        return super().call(context, function, *args, **named)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        match operator, left, right:
            case "+", (str() | list() | tuple()), (str() | list() | tuple()):
                _check_size(len(left) + len(right), MAX_WRITTEN)
            case "*", (str() | list() | tuple()), int():
                _check_size(len(left) * right)
            case "*", int(), (str() | list() | tuple()):
                _check_size(left * len(right))
            case "**", int(), int() | float() if right > 0:
                _check_size(abs(left).bit_length() * right)
            case _:
                pass
        return super().call_binop(context, operator, left, right)

    def joined(self, text: str) -> str:
        _check_size(len(text), MAX_WRITTEN)
        return text


def _bounded_width(function: Callable[..., Any]) -> Callable[..., Any]:

    @wraps(function)
    def bounded(value: Any, /, *args: Any, **named: Any) -> Any:
        _check_widths(*args, *named.values())
        return function(value, *args, **named)

    return bounded


def _check_widths(*values: Any) -> None:
    for value in values:
        if isinstance(value, int):
            _check_size(value)


def _check_size(size: float, limit: int = MAX_REPEATED) -> None:
    if size > limit:
        raise SecurityError(f"this makes a value of more than {limit:,} characters or items")


def _author_template(sources: Mapping[str, str], folder: str, file: str) -> tuple[str, str, Callable[[], bool]] | None:
    """The author's template that replaces this file, with `AUTHOR_TEMPLATE` in its path, or `None`."""
    name = file.removesuffix(".html")
    if name not in sources:
        return None
    public = next(public for public, ours in PUBLIC_TEMPLATES.items() if ours == name)
    return sources[name], f"{AUTHOR_TEMPLATE}{folder}/{public}.html", lambda: True


@contextmanager
def author_template_errors() -> Iterator[None]:
    """Turn an error in an author's template into a `UsageError` with the line of the template."""
    try:
        yield
    except UsageError:
        raise
    except (
        *(jinja2.TemplateError, ArithmeticError, AttributeError, LookupError),
        *(RecursionError, TypeError, ValueError),
    ) as problem:
        for frame, code_line in reversed([*walk_tb(problem.__traceback__)]):
            if frame.f_code.co_filename.startswith(AUTHOR_TEMPLATE):
                # Jinja adds template lines to a traceback, but not the place where Python calls a macro.
                made = frame.f_globals.get("__jinja_template__")
                line = made.get_corresponding_lineno(code_line) if made else code_line
                path = Path(frame.f_code.co_filename.removeprefix(AUTHOR_TEMPLATE))
                original = f"default/{PUBLIC_TEMPLATES[path.stem]}.html"
                given = f"; the page Templates of the manual (kismet docs) lists what {path.name} can use"
                raise UsageError(
                    f'line {line} of your template "{path.name}" failed: {_reason(problem)}. '
                    f'Fix it in {path}:{line}, or start from the original: {{% include "{original}" %}}'
                    f"{given * isinstance(problem, jinja2.UndefinedError)}"
                ) from None
        raise


def _reason(problem: Exception) -> str:
    """Why a template failed, without Python names."""
    if isinstance(problem, RecursionError):
        return "it calls or includes itself endlessly"
    if isinstance(problem, jinja2.TemplateNotFound):
        return f'there is no template "{problem.name}"'
    if missing := re.search(r"object' has no attribute ('\w+')", str(problem)):
        return f"{missing[1]} is not known here"
    return str(problem)


class _TemplateCache(jinja2.BytecodeCache):
    """Cache of compiled templates, which makes building a small game faster.

    Jinja's own cache would run damaged code. It also misses a change of a filter, which runs during compilation if its
    arguments are constants (docs/decisions/0027-unchanged-builds.md).
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        code = read_cached_file(self._file(bucket), _program_key())
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        write_cached_file(self._file(bucket), _program_key(), [bucket.bytecode_to_string()], MAX_TEMPLATES)

    def _file(self, bucket: Bucket) -> Path:
        return cache_folder("templates") / f"{bucket.key}.template"


@cache
def _program_key() -> bytes:
    """What a compiled template depends on besides its source: the version of Jinja and this file."""
    return jinja2.__version__.encode() + Path(__file__).read_bytes()


@lru_cache(maxsize=256)
def linked(text: str) -> Markup:
    """Text as HTML, with each `name (address)` turned into a link."""
    return Markup(NAMED_ADDRESS.sub(r'<a href="\2">\1</a>', str(escape(text))))


def ornament(sign: str) -> Markup:
    """The sign of a kind as HTML. A variation selector keeps phones from showing it as emoji."""
    return Markup('<span class="ornament" aria-hidden="true">{}</span>').format(f"{sign}\N{VARIATION SELECTOR-15}")
