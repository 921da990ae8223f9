"""The licence and attribution of a game, as every export includes them."""

from kismet_build.output.finished_data import Data


def rights(pack: Data) -> dict[str, str]:
    """The members with the licence and the attribution, for records that are used on their own."""
    return {key: pack["game"][key] for key in ("licence_id", "attribution")}


def licence(pack: Data) -> bytes:
    """The file `LICENSE`: title, licence, identifier, attribution, notices and, if available, the full text."""
    game = pack["game"]
    parts = (game["licence"], game["licence_id"], game["attribution"], *game["notices"], pack.get("licence_text", ""))
    return ("\n\n".join(part for part in (game["title"], *parts) if part) + "\n").encode()
