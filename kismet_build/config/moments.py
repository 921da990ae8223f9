"""Read the times that people write in properties: `2035-01-02`, `Mon, 02 Jan 2035 10:00:00 UTC`, `2 Jan 2035`."""

import re
import warnings
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_ZONE, LAST_ZONE = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
"""The zones in which a day begins first and last."""
MIN_SECONDS = 1_000_000_000
"""The smallest number that is read as seconds since 1970. Smaller ones are years and days."""
YEAR_FIRST = re.compile(r"\d{3,4}\D|\d\d-\d\d?-\d\d?\b")
DEFAULTS = (datetime(2000, 1, 1), datetime(2004, 12, 31))
"""What the parts of a time that are not written may be: a date without a time is the start of its day."""
MAX_LENGTH = 60
"""Maximum number of characters of a time."""


class Moment(NamedTuple):
    """The earliest and the latest time that a written one may mean, in seconds since 1970.

    A time without a zone may be that of any place in the world: output must not depend on the machine. One without a
    day or a month may be at any time in that month or year.
    """

    earliest: float
    latest: float


def moment(value: Any) -> Moment | None:
    """The time that a value means; `None` if it has no year, or is not a time."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if not isinstance(value, str) and value >= MIN_SECONDS:
        return Moment(value, value)
    text = str(value).strip()
    if len(text) > MAX_LENGTH or not any(character.isdigit() for character in text):
        return None
    orders = ("ymd",) if YEAR_FIRST.match(text) else ("mdy", "dmy")
    times = [_read(text, default, order) for default in DEFAULTS for order in orders]
    found = [time for time in times if time is not None]
    if len(found) < len(times) or found[0].year != found[-1].year:
        return None  # the year is that of the default
    return Moment(min(_seconds(time, FIRST_ZONE) for time in found), max(_seconds(time, LAST_ZONE) for time in found))


def _read(text: str, default: datetime, order: str) -> datetime | None:
    from dateutil.parser import parse  # imported when needed, because few texts have a time

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # A zone that is not known leaves the time without one.
            time: datetime = parse(text, default=default, yearfirst=order == "ymd", dayfirst=order == "dmy")
            return time
    except (ValueError, OverflowError):
        return None


def _seconds(time: datetime, zone: timezone) -> float:
    try:
        return ((time if time.tzinfo else time.replace(tzinfo=zone)) - EPOCH).total_seconds()
    except OverflowError:  # in the first or the last year of the calendar
        return (time.replace(tzinfo=UTC) - EPOCH).total_seconds()
