"""Leave out of scripts and styles what is only there for those who write them."""

import re

COMMENT_OF_STYLE = re.compile(r"/\*.*?\*/", re.DOTALL)


def lean(name: str, content: bytes) -> bytes:
    """A file without comments and indentation, where its name says that it is a script or a style.

    Of comments in scripts only whole lines go: telling others from the text of a string would take a parser.
    """
    match name.rpartition(".")[2]:
        case "css":
            text = COMMENT_OF_STYLE.sub("", content.decode())
        case "js":
            text = content.decode()
        case _:
            return content
    lines = (line.strip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not _is_comment(line)).encode()


def _is_comment(line: str) -> bool:
    return line.startswith("//") or (line.startswith("/*") and line.endswith("*/"))
