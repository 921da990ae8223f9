"""Load the Jinja templates of the site, each once."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

from jinja2 import (
    BytecodeCache,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    FunctionLoader,
    PrefixLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    UndefinedError,
)
from jinja2 import __version__ as jinja2_version
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from kismet_build.config.catalog import MAX_CATALOGS, Catalog
from kismet_build.config.data_file import SHIPPED, UsageError
from kismet_build.config.design import PUBLIC_TEMPLATES, TEMPLATES_FOLDER
from kismet_build.model.cache_folder import cache_folder, read_cached_file, write_cached_file
from kismet_build.render.html.addresses import INDEX, site_href
from kismet_build.render.html.content_security_policy import policy

SITE = SHIPPED / "site"
AUTHOR_TEMPLATE = "author:"
"""Start of the file names of templates that the author of a library wrote."""
MAX_REPEATED = 1_000_000
"""Characters or items that an operator in a template of an author may make."""
MAX_TEMPLATES = 256
"""Compiled templates that are left in the cache folder, of all installations of this program."""


def template(name: str, catalog: Catalog) -> Template:
    """A template by its file name without `.html`, with the words of a catalog."""
    return _environment(catalog).get_template(f"{name}.html")


def macro(file: str, name: str, catalog: Catalog) -> Callable[..., Markup]:
    """A macro of a template, faster than a template in a loop of thousands, because it looks up no variables."""
    function: Callable[..., Markup] = getattr(template(file, catalog).module, name)
    return function


@lru_cache(maxsize=MAX_CATALOGS)
def _environment(catalog: Catalog) -> Environment:
    design = catalog.design
    shipped = FileSystemLoader(SITE / "templates")
    own = FunctionLoader(partial(_author_template, dict(design.templates), f"{design.folder}/{TEMPLATES_FOLDER}"))
    # Templates of authors can come from strangers, in a change that somebody builds before reading it.
    environment = (_Sandbox if design.templates else Environment)(
        loader=ChoiceLoader((own, shipped, PrefixLoader({"default": shipped}))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=None if design.templates else _TemplateCache(),
    )
    environment.filters["ornament"] = ornament
    environment.globals["policy"] = policy(design.policy)
    environment.globals["design"] = design
    environment.globals["index"] = INDEX
    environment.globals["site_href"] = site_href
    environment.globals["t"] = catalog.html
    return environment


class _Sandbox(ImmutableSandboxedEnvironment):
    """Runs templates of authors. What they repeat or raise to a power is bounded; ranges are, by Jinja."""

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`. Raises `SecurityError` for a result that may take more than `MAX_REPEATED`."""
        size = 0.0
        match operator, left, right:
            case "*", (str() | list() | tuple()), int():
                size = len(left) * right
            case "*", int(), (str() | list() | tuple()):
                size = left * len(right)
            case "**", int() | float(), int() | float():
                size = abs(left).bit_length() * right if isinstance(left, int) and right > 0 else 0
            case _:
                pass
        if size > MAX_REPEATED:
            raise SecurityError(f"this makes a value of more than {MAX_REPEATED:,} characters or items")
        return super().call_binop(context, operator, left, right)


def _author_template(sources: Mapping[str, str], folder: str, file: str) -> tuple[str, str, Callable[[], bool]] | None:
    """An author's template for the file name of one of ours; `None` for the others. Its path says who wrote it."""
    name = file.removesuffix(".html")
    if name not in sources:
        return None
    public = next(public for public, ours in PUBLIC_TEMPLATES.items() if ours == name)
    return sources[name], f"{AUTHOR_TEMPLATE}{folder}/{public}.html", lambda: True


@contextmanager
def author_template_errors() -> Iterator[None]:
    """Raise an error of an author's template as a `UsageError` with its place."""
    try:
        yield
    except UsageError:
        raise
    except (
        *(TemplateError, ArithmeticError, AttributeError, LookupError),
        *(RecursionError, TypeError, ValueError),
    ) as problem:
        for frame in reversed(extract_tb(problem.__traceback__)):
            if frame.filename.startswith(AUTHOR_TEMPLATE):
                path = Path(frame.filename.removeprefix(AUTHOR_TEMPLATE))
                original = f"default/{PUBLIC_TEMPLATES[path.stem]}.html"
                given = f"; the page Templates of the manual (kismet docs) has what {path.name} is given"
                raise UsageError(
                    f'line {frame.lineno} of your template "{path.name}" failed: {_reason(problem)}. '
                    f'Mend it in {path}:{frame.lineno}, or begin from the original: {{% include "{original}" %}}'
                    f"{given * isinstance(problem, UndefinedError)}"
                ) from None
        raise


def _reason(problem: Exception) -> str:
    """Why a template failed, without names of Python."""
    if isinstance(problem, RecursionError):
        return "it calls or includes itself without end"
    if isinstance(problem, TemplateNotFound):
        return f'there is no template "{problem.name}"'
    if missing := re.search(r"object' has no attribute ('\w+')", str(problem)):
        return f"{missing[1]} is not known here"
    return str(problem)


class _TemplateCache(BytecodeCache):
    """Compiled templates in the cache folder, which save a fifth of the time of a small game.

    Not the cache of Jinja: it runs damaged code, and does not notice a change of the filters, which run while a
    template is compiled if they are given constants.
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
    """The inputs of a compiled template besides its source: the version of Jinja, and this file."""
    return jinja2_version.encode() + Path(__file__).read_bytes()


@lru_cache(maxsize=256)
def ornament(sign: str) -> Markup:
    """The sign of a kind with a variation selector for text style, because phones show some signs as emoji."""
    return Markup('<span class="ornament" aria-hidden="true">{}</span>').format(f"{sign}\N{VARIATION SELECTOR-15}")
