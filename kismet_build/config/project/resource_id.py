"""Resource ids of Antora, by which texts name files of their site: `combat:attacks.adoc`, `partial$oil.adoc`.

https://docs.antora.org/antora/latest/page/resource-id/
"""

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath
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
"""The folder of each family of files in a module."""
MAIN_MODULE = "ROOT"
OPTION = "antora"
"""The option of the dialect that has the component."""


class Component(NamedTuple):
    """The component of Antora to which texts belong. Paths start from its folder of modules."""

    name: str
    version: str

    def path(self, written: str, family: str, of: str) -> str:
        """The path of the file that a resource id names; empty if it is not one, or names another component.

        `family`: that of the file if the id does not say. `of`: the path of the text with the id.
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


def component_of(options: Mapping[str, Any]) -> Component | None:
    """The component in the options of a dialect; `None` if the texts are not those of Antora."""
    component = options.get(OPTION)
    return component if isinstance(component, Component) else None
