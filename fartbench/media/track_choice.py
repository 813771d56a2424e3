"""Which of a file's tracks is taken, and how that compares with what other players do.

No Django here.
"""

from fartbench.media.movie import Movie


def choice_facts(movie: Movie) -> dict[str, int | None]:
    """Return the facts about the choice of tracks, by the field names of MediaFacts.

    For each kind: how many tracks there are, the place of the one that is taken (from 1, 0 without
    any), and the place of the first one that the file marks as default (None when it marks none).
    """
    facts: dict[str, int | None] = {}
    for kind in ("video", "audio"):
        tracks, taken = movie.candidates(kind), movie.main(kind)
        marked = [place for place, track in enumerate(tracks, start=1) if track.marked_default]
        facts[f"{kind}_tracks"] = len(tracks)
        facts[f"{kind}_track"] = tracks.index(taken) + 1 if taken is not None else 0
        facts[f"default_{kind}_track"] = marked[0] if marked else None
    return facts
