"""What the database itself refuses about pairs and votes, on both engines."""

from fartbench.writeonce import Guard, never_changes

# The rule rows of a protocol's pairs stand beside those of its scenes; no scene's key holds a
# colon.
FORM_OF_PAIRS = ":pairs"

_ROUND_IS_OPEN = (
    "EXISTS (SELECT 1 FROM fartbench_round r WHERE r.id = {round} AND r.state = 'reviewing')"
)

_CLIPS_FIT = """(SELECT COUNT(*) FROM blinding_stimulus s WHERE s.id IN (NEW.first_id, NEW.second_id)
  AND s.round_id = NEW.round_id AND s.scene = NEW.scene) = 2"""

_TASK_FITS = """EXISTS (SELECT 1 FROM review_pair p JOIN review_cohortmember m ON m.round_id = p.round_id
  WHERE p.id = NEW.pair_id AND m.id = NEW.member_id)"""

_ROUND_OF_VOTE = """(SELECT p.round_id FROM review_pairtask t JOIN review_pair p ON p.id = t.pair_id
  WHERE t.id = NEW.task_id)"""

_ANSWER_IS_ALLOWED = f"""EXISTS (SELECT 1 FROM review_pairtask t JOIN review_pair p ON p.id = t.pair_id
  JOIN fartbench_round r ON r.id = p.round_id
  JOIN review_form f ON f.protocol_id = r.protocol_id AND f.scene = '{FORM_OF_PAIRS}'
  JOIN review_allowedanswer a ON a.form_id = f.id AND a.question = p.question AND a.value = NEW.answer
  WHERE t.id = NEW.task_id)"""

_LOCKS = "OLD.locked_at IS NULL AND NEW.locked_at IS NOT NULL"

PAIRS = (
    Guard("pair_clips_fit", "review_pair", "INSERT", f"NOT ({_CLIPS_FIT})"),
    Guard(
        "pair_round_is_open",
        "review_pair",
        "INSERT",
        f"NOT {_ROUND_IS_OPEN.format(round='NEW.round_id')}",
    ),
    Guard("pairtask_is_of_its_round", "review_pairtask", "INSERT", f"NOT {_TASK_FITS}"),
    *never_changes("review_pair"),
    *never_changes("review_pairtask"),
)

VOTES = (
    Guard("vote_is_born_a_draft", "review_vote", "INSERT",
          "NEW.locked_at IS NOT NULL OR NEW.unplayable_at IS NOT NULL"),
    Guard("vote_round_is_open", "review_vote", "INSERT",
          f"NOT {_ROUND_IS_OPEN.format(round=_ROUND_OF_VOTE)}"),
    Guard("vote_keeps_its_task", "review_vote", "UPDATE", "NEW.task_id <> OLD.task_id"),
    Guard("vote_answer_is_allowed", "review_vote", "UPDATE", f"{_LOCKS} AND NOT "
                                                             f"{_ANSWER_IS_ALLOWED}", ("locked_at",
                                                                                       )),
    Guard("vote_locks_while_open", "review_vote", "UPDATE",
          f"{_LOCKS} AND NOT {_ROUND_IS_OPEN.format(round=_ROUND_OF_VOTE)}", ("locked_at",)),
    *never_changes("review_vote", once="OLD.locked_at IS NOT NULL OR OLD.unplayable_at IS NOT "
                                       "NULL"),
)  # fmt: skip

ALL = (*PAIRS, *VOTES)
