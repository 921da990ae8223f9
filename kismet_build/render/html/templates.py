"""Load the templates of the website, each once."""

from collections.abc import Callable, MutableMapping
from functools import cache, lru_cache
from types import CodeType
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from kismet_build.config.data_file import SHIPPED
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.content_security_policy import POLICY
from kismet_build.render.html.escape import shown

SITE = SHIPPED / "site"


@cache
def template(name: str) -> Template:
    """A template by the name of its file, without `.html`."""
    return _environment().get_template(f"{name}.html")


@cache
def macro(file: str, name: str) -> Callable[..., Markup]:
    """A macro of a template: for what is made thousands of times, as no names are looked up for each."""
    found: Callable[..., Markup] = getattr(template(file).module, name)
    return found


class _Quick(Template):
    """A template that is filled in with words, not with `Markup`: they become one text at once, which is marked."""

    @classmethod
    def from_code(
        cls,
        environment: Environment,
        code: CodeType,
        globals: MutableMapping[str, Any],
        uptodate: Callable[[], bool] | None = None,
    ) -> Template:
        made = super().from_code(environment, code, globals, uptodate)
        made.root_render_func.__globals__["escape"] = shown
        return made


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
        bytecode_cache=_bytecode(),
    )
    environment.template_class = _Quick
    environment.filters["ornament"] = ornament
    environment.globals["policy"] = POLICY
    environment.globals["index"] = INDEX
    return environment


def _bytecode() -> FileSystemBytecodeCache | None:
    """Where compiled templates are kept from one build to the next: a fifth of the time of a small game."""
    try:
        return FileSystemBytecodeCache()
    except (OSError, RuntimeError):  # no folder of our own for such files
        return None


@lru_cache(maxsize=256)
def ornament(sign: str) -> Markup:
    """The sign of a kind, set as text: phones would draw some of them as small pictures."""
    return Markup('<span class="ornament" aria-hidden="true">{}</span>').format(f"{sign}\N{VARIATION SELECTOR-15}")
