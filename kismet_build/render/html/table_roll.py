"""Dice codes that roll on a table from any page: the rows they may show, as attributes for `roll.js`."""

import orjson

from kismet_build.model.nodes import DiceRoll
from kismet_build.pack import Pack
from kismet_build.render.html.escape import escaped


def table_roll_attributes(pack: Pack, roll: DiceRoll) -> str:
    """The attributes of the `<span>` of a dice code that rolls on a table; empty if the code can only be a link.

    `data-rows` is a JSON list with a list for each row: its words, then the lowest and highest result of each range.
    """
    rolled = pack.rolled_rows(roll)
    if rolled is None or rolled.is_too_long or not rolled.rows:
        return ""
    data = orjson.dumps([[row.words, *row.ends] for row in rolled.rows]).decode()
    times = f' data-times="{escaped(roll.notation)}"' if roll.notation else ""
    return f' class="table-roll" data-dice="{escaped(rolled.notation)}"{times} data-rows="{escaped(data)}"'
