"""Every report of a round, each on its own, as plain JSON documents. No Django here.

An estimate is never without its interval and its n; what is undefined is null with the reason.
"""

from scoring.reports.documents import reports_document

__all__ = ["reports_document"]
