"""Read the project file of Retype (`retype.yml`), and the `index.yml` of folders."""

from kismet_build.config.project.configuration import Configuration
from kismet_build.config.project.project import ListingKeys, Project, PublicationRules, Routing

FILES = ("retype.yml", "retype.yaml", "retype.json")
LISTING = ListingKeys(
    order=("order",),
    title=("label",),
    hidden=("visibility", "layout"),
    usual_order=0,
    is_descending=True,
    folder_files=("index.yml", "index.yaml"),
)


def read_project(configuration: Configuration) -> Project:
    """The project of a configuration file."""
    return Project(
        generator="Retype",
        file=configuration.file,
        place=configuration.source,
        folder=configuration.file.parent / (configuration.text("input") or "."),
        dialect="retype",
        options={"project": configuration.value, "redirects": ("redirect",)},
        title=configuration.text("branding", "title") or configuration.text("meta", "title"),
        description=configuration.text("meta", "description"),
        language=configuration.text("locale"),
        url=configuration.text("url"),
        listing=LISTING,
        routing=Routing(addresses=("route", "permalink")),
        publication=PublicationRules(published=("visibility",)),
        parts=("/_includes/",),
        exclude=(".*", "_*", f"/{configuration.text('output') or '.retype'}/", *configuration.patterns("exclude")),
    )
