"""By which rules a round is added up: those of a format of releases. No Django here.

`scoring.release.versions` says what changed from one format to the next.
"""

FORMAT = 3
"""The format of the releases that this program writes."""
