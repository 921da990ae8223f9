"""Resource ids of Antora, by which texts name files of their site: `combat:attacks.adoc`, `partial$oil.adoc`.

See https://docs.antora.org/antora/latest/page/resource-id/.
"""

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath, relpath
from typing import Any, NamedTuple

RESOURCE_ID = re.compile(
    r"(?:(?P<version>[^@:$]+)@)?(?:(?:(?P<component>[^@:$]+):)?(?P<module>[^@:$]*):)?"
    r"(?:(?P<family>[a-z]+)\$)?(?P<path>[^@:$]+)"
)
FAMILIES = {
    "page": "pages",
    "partial": "partials",
    "example": "examples",
    "image": "images",
    "attachment": "attachments",
}
"""The folder in a module for each family of files."""
MAIN_MODULE = "ROOT"
OPTION = "antora"
"""The key of the component among the options of the dialect."""


class Component(NamedTuple):
    """The component of Antora that texts belong to. Paths are relative to the folder of its modules."""

    name: str
    version: str

    def path(self, written: str, family: str, of: str) -> str:
        """The path of the file that a resource id names; empty if the id is invalid or names another component.

        `family` is the default family of the file. `of` is the path of the text that contains the id.
        """
        found = RESOURCE_ID.fullmatch(written.strip())
        if found is None or "//" in written:
            return ""
        folder = FAMILIES.get(found["family"] or family)
        is_own = found["version"] in (None, self.version) and found["component"] in (None, self.name)
        if folder is None or not is_own:
            return ""
        path = found["path"]
        if folder == "pages" and "." not in path.rpartition("/")[2]:
            path += ".adoc"
        if path.startswith(("./", "../")) and found["module"] is None:
            return normpath(join(dirname(of), path))
        own = of.partition("/")[0] if found["module"] is None else MAIN_MODULE
        return normpath(join(found["module"] or own, folder, path.lstrip("/")))

    def attributes_of(self, path: str) -> dict[str, str]:
        """Attributes that Antora sets in the page with this path."""
        module, _, rest = path.partition("/")
        return {
            "attachmentsdir": relpath(join(module, FAMILIES["attachment"]), dirname(path) or "."),
            "examplesdir": "example$",
            "page-module": module,
            "page-relative-src-path": rest.partition("/")[2],
            "partialsdir": "partial$",
        }


def component_of(options: Mapping[str, Any]) -> Component | None:
    """The component in the options of a dialect; `None` if the texts do not belong to Antora."""
    component = options.get(OPTION)
    return component if isinstance(component, Component) else None
