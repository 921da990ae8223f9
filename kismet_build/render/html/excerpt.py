"""Excerpts of text for descriptions and previews."""


def summary(text: str, length: int = 155) -> str:
    """The beginning of a text on one line, cut between words to at most `length` characters."""
    words = " ".join(text.split())
    if len(words) <= length:
        return words
    return words[:length].rpartition(" ")[0].rstrip(" ,;:.–—") + "…"
