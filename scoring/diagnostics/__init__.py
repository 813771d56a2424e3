"""How each reviewer of a closed round rated, for staff: it flags, and never removes anybody."""

from scoring.diagnostics.conduct import reviewer_diagnostics

__all__ = ["reviewer_diagnostics"]
