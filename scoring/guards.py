"""What the database itself refuses about releases, on both engines."""

from fartbench.writeonce import Guard, never_changes

# How many releases of a release's round the audit trail has recorded: its entry comes after its
# rows.
_RECORDED = """(SELECT COUNT(*) FROM fartbench_auditentry e
  JOIN fartbench_round r ON r.name = e.round_name
  WHERE r.id = {round} AND e.action IN ('round published', 'release corrected'))"""

_IS_RECORDED = f"""EXISTS (SELECT 1 FROM scoring_release l WHERE l.id = NEW.release_id
  AND l.number <= {_RECORDED.format(round="l.round_id")})"""

_ROUND_IS_CLOSED = """EXISTS (SELECT 1 FROM fartbench_round r
  WHERE r.id = NEW.round_id AND r.closed_at IS NOT NULL)"""

ALL = (
    *never_changes("scoring_release"),
    *never_changes("scoring_releasedocument"),
    Guard(
        "release_comes_in_turn",
        "scoring_release",
        "INSERT",
        f"NEW.number <> 1 + {_RECORDED.format(round='NEW.round_id')} OR NOT {_ROUND_IS_CLOSED}",
    ),
    Guard("document_joins_no_recorded_release", "scoring_releasedocument", "INSERT", _IS_RECORDED),
)
