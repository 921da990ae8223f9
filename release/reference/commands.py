"""Examples of options and arguments. A test runs them next to the folder `my-game` from `kismet new my-game`."""

from kismet_build.cli.arguments import EXAMPLES

PUBLISH = EXAMPLES["publish"][0]

VALUES = {
    "--out": "my-site",
    "--game": "my-game/game.yaml",
    "--jobs": "2",
    "--format": "json",
    "--host": "127.0.0.1",
    "--port": "8080",
    "--editor": "vscode",
    "--url": "https://rules.example/",
    "--against": "my-site",
    "--book": "pdf,epub",
    "--dask": "tcp://127.0.0.1:8786",
    "--paper": "a5",
    "--columns": "1",
}
"""Option values for examples."""
OPTION_EXAMPLES = {
    "odds EXPRESSION": "kismet odds 4d6kh3",
    "odds --json": "kismet odds 1d10 --json",
    "odds --vs": "kismet odds 1d10+3 --vs 9",
    "calc GAME/CALCULATOR": "kismet calc kismet/passive-defense",
    "calc name=value": "kismet calc kismet/passive-defense modifier=2",
    "calc --json": "kismet calc kismet/passive-defense --json",
    "calc --library": "kismet calc --library my-game",
    "calc --game": "kismet calc --library my-game --game my-game/game.yaml",
    "completion SHELL": EXAMPLES["completion"][0],
    "docs --print-path": "kismet docs --print-path",
    "data verify BUNDLE": "kismet data verify my-site",
    "dump FILE": EXAMPLES["dump"][0],
    "dump --game": 'kismet dump "my-game/1 First Steps.md" --game my-game/game.yaml',
    "new DIR": "kismet new third-game",
    "new --from": "kismet new --from my-vault vault-game",
    "new --publish": "kismet new fourth-game --publish --requirement git+https://git.example/kismet-build",
    "new --requirement": "kismet new fifth-game --publish --requirement git+https://git.example/kismet-build",
    "new --vscode": "kismet new sixth-game --vscode",
    "publish --to": PUBLISH,
    "ask --game": 'kismet ask "what is a talent" my-game --game my-game/game.yaml',
    "mcp --game": "kismet mcp my-game --game my-game/game.yaml",
    "ask --json": 'kismet ask "what is a talent" my-game --json',
    "publish --game": f"{PUBLISH} --force --game my-game/game.yaml",
    "publish --requirement": f"{PUBLISH} --force",
    "publish --bundle": f"{PUBLISH} --force --bundle",
    "publish --force": f"{PUBLISH} --force",
    "book --format": "kismet book my-game --format epub",
    "book --out": "kismet book my-game --out my-game.pdf",
    "check --game": "kismet check my-game --game my-game/game.yaml",
    "build --game": "kismet build my-game --game my-game/game.yaml",
}
"""Examples of options that differ from the usual form, `kismet COMMAND my-game OPTION VALUE`."""


def example_of(command: str, option: str, first: str) -> str:
    """Return a command line that uses an option or argument. `first`: the first example of the command."""
    if f"{command} {option}" in OPTION_EXAMPLES:
        return OPTION_EXAMPLES[f"{command} {option}"]
    if not option.startswith("-"):
        return first
    value = f" {VALUES[option]}" if option in VALUES else ""
    return f"kismet {command} my-game {option}{value}"
