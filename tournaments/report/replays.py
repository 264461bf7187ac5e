"""The matches of a report, packed so that they can be replayed in it."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from referee.match.log import LogError, read_log
from referee.replay.page import in_script, page_data
from referee.replay.story import read_story
from tournaments.outcome import log_path
from tournaments.result import MatchResult

MOST_BYTES: Final = 8 << 20
"""The packed matches of a report are not longer than this together."""


def packs(
    folder: Path, matches: Sequence[MatchResult], most: int, mentioned: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """The ids of matches, and what the replay page shows of each: JSON, deflated (RFC 1950), in base64.

    Those with faults are taken first, then those that are mentioned on an entrant's page, then others spread evenly
    over the tournament, as many as asked for and as fit in `MOST_BYTES`. A log that cannot be read is left out.

    Args:
        folder: the tournament's folder.
        matches: the matches that are listed.
        most: so many are packed.
        mentioned: the ids of those that the report leads to.
    """
    room = MOST_BYTES
    for match in _chosen(matches, most, mentioned):
        packed = _packed(log_path(folder, match.id))
        room -= len(packed)
        if room < 0:
            break
        if packed:
            yield match.id, packed


def _chosen(matches: Sequence[MatchResult], most: int, mentioned: Collection[str]) -> list[MatchResult]:
    faulty = [match for match in matches if any(any(faults.values()) for faults in match.faults.values())][:most]
    taken = {match.id for match in faulty}
    told = [match for match in matches if match.id in mentioned and match.id not in taken][: most - len(faulty)]
    taken |= {match.id for match in told}
    others = [match for match in matches if match.id not in taken]
    left = min(most - len(faulty) - len(told), len(others))
    return faulty + told + [others[place * len(others) // left] for place in range(left)]


def _packed(path: Path) -> str:
    try:
        story = read_story(list(read_log(path)), None, None)
    except (LogError, OSError):
        return ""
    return base64.b64encode(zlib.compress(in_script(page_data(story)).encode(), 9)).decode()
