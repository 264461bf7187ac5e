"""Pages of the list of matches: the newest first, whether one process knows them all or several some each.

A page's token is the place of its last match in that order, so it is good in every process, and stays good while
matches are added and forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from referee.v1 import match_pb2

DEFAULT_PAGE: Final = 50
MOST_PAGE: Final = 500

BAD_TOKEN: Final = "page_token is none that this server gave; begin without one"

Place = tuple[str, str]
"""Where a match stands in the list: when it was created, as it is told, and its id."""

_TOKEN: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/([^/]{1,200})", re.ASCII)


def page_size(request: match_pb2.ListMatchesRequest) -> int:
    """How many matches a request asks for."""
    return min(request.page_size or DEFAULT_PAGE, MOST_PAGE)


def before_of(token: str) -> Place | None:
    """The place before which a page begins; None for the first page. Raises `ValueError` for what is no token."""
    if not token:
        return None
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise ValueError(BAD_TOKEN)
    return found[1], found[2]


def page_of(matches: Sequence[match_pb2.MatchInfo], size: int, more: bool = False) -> match_pb2.ListMatchesResponse:
    """A page of the first of some matches, the newest first; ``more``: whether others follow after the last of them."""
    page = matches[:size]
    more = more or len(matches) > size
    token = f"{page[-1].created_at}/{page[-1].match_id}" if more else ""
    return match_pb2.ListMatchesResponse(matches=page, next_page_token=token)


def merged(pages: Sequence[match_pb2.ListMatchesResponse], size: int) -> match_pb2.ListMatchesResponse:
    """One page out of the pages of several processes, each of which begins at the same place."""
    matches = [match for page in pages for match in page.matches]
    matches.sort(key=lambda match: (match.created_at, match.match_id), reverse=True)
    return page_of(matches, size, any(page.next_page_token for page in pages))
