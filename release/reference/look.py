"""Reference pages about customizing the website: templates and words."""

from collections.abc import Iterator

from jinja2 import Environment
from jinja2.meta import find_undeclared_variables
from jinja2.nodes import Macro, Name

from kismet_build.config.design import PUBLIC_TEMPLATES, SHIPPED_TEMPLATES
from kismet_build.config.language.strings import read_strings

EVERYWHERE = {
    "t": 'the words of the website, by key: `t("title.glossary")`',
    "design": "the design: `design.style`, `design.logo`, `design.icon`, `design.nav`, `design.links`",
    "policy": "the content security policy",
    "index": "the file name of a page, `index.html`: append it to the address of a page to link to it",
}
"""Variables and functions available in every template."""
COMMON = {
    "root": "the path from the page to the root of the website, such as `../../`: the start of each link",
    "game": "the game: `game.id`, `game.title`, `game.description`, `game.version`, `game.licence`, `game.attribution`",
    "page": "the page: `page.role`, `page.title`, `page.description`, `page.address`",
    "kind": "the kind: `kind.id`, `kind.title`, `kind.plural`, `kind.description`, `kind.ornament`, `kind.colour`",
    "board": "the board: `board.title`, `board.description`, `board.columns`",
}
"""Variables shared by several templates, by name."""
MEANINGS = {
    "page": "The frame of all pages of a game: navigation, article, footer.",
    "head": "The head of all pages: title, style sheets, scripts, descriptions for search engines.",
    "header": "The bar at the top of a game's pages.",
    "footer": "The footer of a game's pages. The library's pages have `links` from library.yaml at the foot.",
    "home": "The article of the home page of the library.",
    "game": "The article of the home page of a game.",
    "chapter": "The article of a chapter.",
    "entity": "The article of an entry.",
    "kind": "The article of a kind's page, with its table.",
    "calculator": "A calculator, wherever it appears.",
    "board": "The article of a board.",
    "not-found": "The page that a host shows for a missing address.",
}
"""Descriptions of the templates, by public name."""


def template_page() -> str:
    """Return the page of templates: the purpose, variables and source of each."""
    lead = (
        "A file `templates/NAME.html` in the folder set by `site` in [library.yaml](library-yaml.md) replaces one of "
        "these [Jinja](https://jinja.palletsprojects.com/) templates. A template without macros gets the names below; "
        "a template of macros must define all macros of the original, with their arguments. Each entry gives the file "
        "name of the original: `{% include %}` inserts it, `{% import %}` makes its macros available. "
        "[Your own design](../how-to/look-of-your-own.md#templates) has an example."
    )
    everywhere = "\n".join(f"- `{name}`: {meaning}" for name, meaning in EVERYWHERE.items())
    common = "\n".join(f"- `{name}`: {meaning}" for name, meaning in COMMON.items())
    parts = "\n".join(_template(name, file) for name, file in PUBLIC_TEMPLATES.items())
    return f"# Templates\n\n{lead}\n\nEvery template has:\n\n{everywhere}\n\nMany also have:\n\n{common}\n\n{parts}"


def _template(name: str, file: str) -> str:
    source = (SHIPPED_TEMPLATES / f"{file}.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True)
    environment.filters |= {"linked": str, "ornament": str}
    tree = environment.parse(source)
    macros = [f"{macro.name}({', '.join(argument.name for argument in macro.args)})" for macro in tree.find_all(Macro)]
    # A name that is set inside a block counts as undeclared outside of it.
    own = {target.name for target in tree.find_all(Name) if target.ctx == "store"}
    names = sorted(find_undeclared_variables(tree) - own - EVERYWHERE.keys())
    is_macros = bool(macros) and not names
    given = [f"Names: {_listed(names)}."] * bool(names) + [f"Macros: {_listed(macros)}."] * bool(macros)
    use = f'{{% import "default/{file}.html" as original %}}' if is_macros else f'{{% include "default/{file}.html" %}}'
    if source.startswith("{% extends"):
        use = f'{{% extends "default/{file}.html" %}}'
    lead = f"## {name}\n\n{MEANINGS[name]} The original: `{use}`.\n\n{' '.join(given)}\n\n"
    return f"{lead}````jinja\n{source.strip()}\n````\n"


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def word_page() -> str:
    """Return the page with the words of the website, by key."""
    lead = (
        "A file `strings/LANGUAGE.yaml` in the folder set by `site` in [library.yaml](library-yaml.md) changes or "
        "translates these words, one line per key. Names in braces are filled in; a sentence that depends on a number "
        "has a form for each plural category of the language, such as `one` and `other`. "
        "[Your own design](../how-to/look-of-your-own.md#words) has an example. kismet includes English and German."
    )
    return f"# Words\n\n{lead}\n\n" + "\n".join(_words())


def _words() -> Iterator[str]:
    catalog = read_strings("en")
    titles = {"pages": "Pages", "scripts": "Scripts"}
    for part, title in titles.items():
        yield f"## {title}\n\n| key | English |\n| --- | --- |"
        for key, sentence in catalog[part].items():
            forms = [sentence] if isinstance(sentence, str) else [f"{name}: {form}" for name, form in sentence.items()]
            yield f"| `{key}` | {'; '.join(map(_cell, forms))} |"
        yield ""


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
