"""Run the command with `python -m kismet_build.cli`."""

from kismet_build.cli import run

run()
