"""Load the Jinja templates of the site, each once."""

from collections.abc import Callable
from functools import cache, lru_cache

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from kismet_build.config.data_file import SHIPPED
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.content_security_policy import POLICY

SITE = SHIPPED / "site"


@cache
def template(name: str) -> Template:
    """A template by its file name without `.html`."""
    return _environment().get_template(f"{name}.html")


@cache
def macro(file: str, name: str) -> Callable[..., Markup]:
    """A macro of a template, faster than a template in a loop of thousands, because it looks up no variables."""
    function: Callable[..., Markup] = getattr(template(file).module, name)
    return function


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(SITE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_bytecode_cache(),
    )
    environment.filters["ornament"] = ornament
    environment.globals["policy"] = POLICY
    environment.globals["index"] = INDEX
    return environment


def _bytecode_cache() -> FileSystemBytecodeCache | None:
    """Cache of compiled templates between builds, which saves a fifth of the time of a small game."""
    try:
        return FileSystemBytecodeCache()
    except (OSError, RuntimeError):  # The user has no private temporary folder.
        return None


@lru_cache(maxsize=256)
def ornament(sign: str) -> Markup:
    """The sign of a kind with a variation selector for text style, because phones show some signs as emoji."""
    return Markup('<span class="ornament" aria-hidden="true">{}</span>').format(f"{sign}\N{VARIATION SELECTOR-15}")
