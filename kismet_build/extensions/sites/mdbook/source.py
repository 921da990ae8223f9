"""Read the project files of mdBook (`book.toml` and `SUMMARY.md`)."""

from collections.abc import Iterable

from kismet_build.config.privacy import PublicationRules
from kismet_build.config.sources import OUR_FILES, VaultSource
from kismet_build.config.sources.configuration import Configuration, read_text, reject
from kismet_build.config.sources.table_of_contents import contents_of
from kismet_build.config.sources.vault import Routing, Vault
from kismet_build.model.navigation import NavigationItem

SUMMARY = "SUMMARY.md"
"""The list of the texts, in their folder."""


def read_vault(configuration: Configuration) -> Vault:
    """The site of a configuration file."""
    book = configuration.below("book")
    folder = configuration.file.parent / (book.closed_path("src") or "src")
    summary = folder / SUMMARY
    # Texts that the list leaves out are not published, so it must be read.
    text = read_text(summary, reject(summary), configuration.file.parent)
    output, preprocessors = configuration.below("output").mapping("html"), configuration.mapping("preprocessor")
    navigation = contents_of(text.text) if text else ()
    return Vault(
        name="mdBook",
        file=configuration.file,
        place=configuration.source if text is None else text,
        folder=folder,
        dialect="mdbook",
        options={
            "math": "katex" in preprocessors,
            "mathjax": output.get("mathjax-support") is True,
            "smart_punctuation": True in (output.get("smart-punctuation"), output.get("curly-quotes")),
        },
        title=book.text("title"),
        description=book.text("description"),
        language=book.text("language"),
        navigation=navigation,
        routing=Routing(home=_first_path(navigation)),
        publishes_only_listed=True,
        publication=PublicationRules(has_one_home=True),
        parts=(SUMMARY,),
    )


def _first_path(items: Iterable[NavigationItem]) -> str:
    """The first text in a navigation: the home page of mdBook."""
    return next((path for item in items if (path := item.path or _first_path(item.items))), "")


source = VaultSource(OUR_FILES["mdbook"], read_vault)
