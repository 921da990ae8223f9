"""The pages of the reference about a look of one's own: templates, and the words of the website."""

from collections.abc import Iterator

from jinja2 import Environment
from jinja2.meta import find_undeclared_variables
from jinja2.nodes import Macro

from kismet_build.config.design import PUBLIC_TEMPLATES, SHIPPED_TEMPLATES
from kismet_build.config.language.strings import read_strings

EVERYWHERE = {
    "t": 'the words of the website by their keys: `t("title.glossary")`',
    "design": "the look: `design.style`, `design.logo`, `design.icon`, `design.nav`, `design.links`",
    "policy": "the content security policy",
    "index": "the file name of a page, `index.html`: a link to a page is its address and this",
}
"""Variables and functions of every template."""
COMMON = {
    "root": "the way from the page to the root of the website, such as `../../`: the beginning of each link",
    "game": "the game: `game.id`, `game.title`, `game.description`, `game.version`, `game.licence`, `game.attribution`",
    "page": "the page: `page.role`, `page.title`, `page.description`, `page.address`",
    "kind": "the kind: `kind.id`, `kind.title`, `kind.plural`, `kind.description`, `kind.ornament`, `kind.colour`",
    "board": "the board: `board.title`, `board.description`, `board.columns`",
}
"""Variables of several templates, by name."""
MEANINGS = {
    "page": "The frame of all pages of a game: navigation, article, footer.",
    "head": "The head of all pages: title, style sheets, scripts, descriptions for search engines.",
    "header": "The bar at the top of the pages of a game.",
    "footer": "The footer of the pages of a game. Pages of the library have `links` of library.yaml at their foot.",
    "home": "The article of the home page of the library.",
    "game": "The article of the home page of a game.",
    "chapter": "The article of a chapter.",
    "entity": "The article of an entry.",
    "kind": "The article of the page of a kind, with its table.",
    "calculator": "A calculator, wherever it is.",
    "board": "The article of a board.",
    "not-found": "The page that a host shows for an address that does not exist.",
}
"""Descriptions of the templates, by public name."""


def template_page() -> str:
    """The page of templates: what each is, what it is given, and its text."""
    lead = (
        "A file `templates/NAME.html` in the folder that `site` in [library.yaml](library-yaml.md) names takes the "
        "place of one of these templates of [Jinja](https://jinja.palletsprojects.com/). A template without macros is "
        "given the names below; one of macros has to define all macros of the original, with their arguments. The "
        "original is in each under its file name: `{% include %}` puts it in, `{% import %}` lends its macros. "
        "[A look of your own](../how-to/look-of-your-own.md#templates) has an example."
    )
    everywhere = "\n".join(f"- `{name}`: {meaning}" for name, meaning in EVERYWHERE.items())
    common = "\n".join(f"- `{name}`: {meaning}" for name, meaning in COMMON.items())
    parts = "\n".join(_template(name, file) for name, file in PUBLIC_TEMPLATES.items())
    return f"# Templates\n\n{lead}\n\nEach template has:\n\n{everywhere}\n\nMany are given:\n\n{common}\n\n{parts}"


def _template(name: str, file: str) -> str:
    source = (SHIPPED_TEMPLATES / f"{file}.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True)
    environment.filters["ornament"] = str
    tree = environment.parse(source)
    macros = [f"{macro.name}({', '.join(argument.name for argument in macro.args)})" for macro in tree.find_all(Macro)]
    names = sorted(find_undeclared_variables(tree) - EVERYWHERE.keys())
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
    """The page of the words of the website by their keys."""
    lead = (
        "A file `strings/LANGUAGE.yaml` in the folder that `site` in [library.yaml](library-yaml.md) names changes or "
        "translates these words: a line for each, with its key. What stands in braces is filled in; a sentence that "
        "depends on a number has a form for each plural of the language, such as `one` and `other`. "
        "[A look of your own](../how-to/look-of-your-own.md#words) has an example. kismet has English and German."
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
