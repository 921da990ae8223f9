"""Read the project files of Docsify (`index.html` and `_sidebar.md`)."""

import re
from collections.abc import Iterable

from kismet_build.config.project.configuration import Configuration, read_text
from kismet_build.config.project.js_literals import LiteralReader
from kismet_build.config.project.project import Project, Routing
from kismet_build.config.project.table_of_contents import contents_of
from kismet_build.model.diagnostic import ignore
from kismet_build.model.navigation import NavigationItem

FILES = ("_sidebar.md", "index.html")
SETTINGS = re.compile(r"\$docsify\s*=\s*")
ROOT = frozenset(("./", "."))
"""The paths of the root in a navigation."""
MATH = re.compile(r"docsify-(?:katex|latex|mathjax)")
"""Names of plugins that show formulas."""


def read_project(configuration: Configuration) -> Project | None:
    """The project of a folder whose `index.html` loads Docsify, or `None`."""
    folder = configuration.file.parent
    page = read_text(folder / "index.html", ignore)
    if page is None or "docsify" not in page.text:
        return None
    settings = LiteralReader(page).object_after(SETTINGS)
    loaded = settings.get("loadSidebar", True)
    sidebar = read_text(folder / (loaded if isinstance(loaded, str) else "_sidebar.md"), ignore, folder)
    name, homepage = settings.get("name"), settings.get("homepage")
    home = homepage.lstrip("/") if isinstance(homepage, str) else ""
    return Project(
        generator="Docsify",
        file=folder / "index.html",
        place=sidebar or page,
        folder=folder,
        dialect="docsify",
        options={"math": MATH.search(page.text) is not None},
        title=name if isinstance(name, str) else "",
        navigation=_with_home(contents_of(sidebar.text), home) if sidebar else (),
        routing=Routing(home=home),
        parts=("_sidebar.md", "_navbar.md", "_coverpage.md", "_404.md"),
    )


def _with_home(items: Iterable[NavigationItem], home: str) -> tuple[NavigationItem, ...]:
    return tuple(
        item._replace(path=home if home and item.path in ROOT else item.path, items=_with_home(item.items, home))
        for item in items
    )
