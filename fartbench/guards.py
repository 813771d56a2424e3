"""What the database keeps of protocols, rounds and the audit trail."""

from __future__ import annotations

from fartbench import writeonce

# What a step of a round set stays as it is, and no later state becomes an earlier one.
_ROUND_GOES_BACK = """
  (OLD.opened_at IS NOT NULL AND (NEW.opened_at <> OLD.opened_at
    OR NEW.state IN ('draft', 'generating', 'blinding')
    OR NEW.normalised_because <> OLD.normalised_because))
  OR (OLD.closed_at IS NOT NULL AND (NEW.closed_at IS NULL OR NEW.closed_at <> OLD.closed_at
    OR NEW.incomplete_reason <> OLD.incomplete_reason OR NEW.state NOT IN ('locked', 'published')))
  OR (OLD.published_at IS NOT NULL AND (NEW.published_at IS NULL
    OR NEW.published_at <> OLD.published_at OR NEW.state <> 'published'))"""

ALL = (
    *writeonce.never_changes("fartbench_auditentry"),
    writeonce.Guard(
        "protocol_content_is_kept",
        "fartbench_protocolversion",
        "UPDATE",
        "NEW.name <> OLD.name OR NEW.version <> OLD.version OR NEW.digest <> OLD.digest "
        "OR CAST(NEW.content AS TEXT) <> CAST(OLD.content AS TEXT) "
        "OR (OLD.frozen_at IS NOT NULL AND (NEW.frozen_at IS NULL OR NEW.frozen_at <> "
        "OLD.frozen_at))",
    ),
    writeonce.Guard(
        "frozen_protocol_is_kept",
        "fartbench_protocolversion",
        "DELETE",
        "OLD.frozen_at IS NOT NULL",
    ),
    writeonce.Guard(
        "opened_round_keeps_its_protocol",
        "fartbench_round",
        "UPDATE",
        "OLD.opened_at IS NOT NULL AND (NEW.protocol_id <> OLD.protocol_id OR NEW.name <> "
        "OLD.name "
        "OR NEW.secret_sha256 <> OLD.secret_sha256 OR (OLD.secret <> '' AND NEW.secret <> "
        "OLD.secret) "
        "OR NEW.seed <> OLD.seed OR NEW.replicates <> OLD.replicates OR NEW.opened_at IS "
        "NULL "
        "OR CAST(NEW.scene_keys AS TEXT) <> CAST(OLD.scene_keys AS TEXT) "
        "OR CAST(NEW.unit_plan AS TEXT) <> CAST(OLD.unit_plan AS TEXT))",
    ),
    writeonce.Guard(
        "opened_round_is_kept", "fartbench_round", "DELETE", "OLD.opened_at IS NOT NULL"
    ),
    writeonce.Guard("round_goes_one_way", "fartbench_round", "UPDATE", _ROUND_GOES_BACK),
    writeonce.Guard(
        "round_is_published_with_its_time",
        "fartbench_round",
        "UPDATE",
        "NEW.published_at IS NOT NULL AND NEW.state <> 'published'",
    ),
    # The newest link only ever moves to the next one.
    writeonce.Guard(
        "audit_head_goes_on",
        "fartbench_audithead",
        "UPDATE",
        "NEW.sequence <> OLD.sequence + 1",
    ),
    writeonce.Guard("audit_head_is_kept", "fartbench_audithead", "DELETE"),
    writeonce.Guard("audit_head_is_the_one", "fartbench_audithead", "INSERT", "NEW.id <> 1"),
)
