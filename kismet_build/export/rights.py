"""Licence and attribution of a game, as exports carry them."""

from kismet_build.export.finished_data import Data


def rights(pack: Data) -> dict[str, str]:
    """The members of a single record that say under which licence it may be used."""
    return {key: pack["game"][key] for key in ("licence_id", "attribution")}


def licence(pack: Data) -> bytes:
    """The file `LICENSE`: title, licence, identifier, attribution, notices, and the whole text if there is one."""
    game = pack["game"]
    parts = (game["licence"], game["licence_id"], game["attribution"], *game["notices"], pack.get("licence_text", ""))
    return ("\n\n".join(part for part in (game["title"], *parts) if part) + "\n").encode()
