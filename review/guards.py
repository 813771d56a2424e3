"""What the database itself refuses about sheets, answers and the rule rows, on both engines."""

from fartbench.writeonce import Guard, never_changes

# True when the sheet NEW must not be locked: a question without answer, or an answer that no rule
# row allows.
MUST_NOT_LOCK = """(
  EXISTS (SELECT 1 FROM review_formquestion q WHERE q.form_id = NEW.form_id AND NOT EXISTS (
    SELECT 1 FROM review_answer a WHERE a.sheet_id = NEW.id AND a.question = q.key))
  OR NOT EXISTS (SELECT 1 FROM review_formquestion q WHERE q.form_id = NEW.form_id)
  OR EXISTS (SELECT 1 FROM review_answer a WHERE a.sheet_id = NEW.id AND NOT EXISTS (
    SELECT 1 FROM review_allowedanswer r WHERE r.form_id = NEW.form_id AND r.question = a.question
      AND COALESCE(r.value, '') = COALESCE(a.value, '') AND COALESCE(r.na_reason, '') = COALESCE(a.na_reason, '')
      AND (r.requires_question IS NULL OR EXISTS (
        SELECT 1 FROM review_answer b WHERE b.sheet_id = NEW.id
          AND b.question = r.requires_question AND b.value = r.requires_value)))))"""

# True when the form of the sheet NEW asks for a first impression; {} narrows it to some of its
# questions.
_ASKS_FIRST = """EXISTS (SELECT 1 FROM review_formquestion q
  WHERE q.form_id = NEW.form_id AND q.is_first_impression{})"""
_UNANSWERED = """ AND NOT EXISTS (
    SELECT 1 FROM review_answer a WHERE a.sheet_id = NEW.id AND a.question = q.key)"""

# True when the answer NEW is (part of) a first impression that was kept already. Deleting one is no
# way to change it: no other can be put in its place, and without one the sheet cannot be locked.
_IMPRESSION_STANDS = """EXISTS (SELECT 1 FROM review_answersheet s
  JOIN review_formquestion q ON q.form_id = s.form_id AND q.is_first_impression AND q.key = NEW.question
  WHERE s.id = NEW.sheet_id AND s.impression_at IS NOT NULL)"""

_ROUND_IS_OPEN = """EXISTS (SELECT 1 FROM blinding_stimulus s JOIN fartbench_round r ON r.id = s.round_id
  WHERE s.id = NEW.stimulus_id AND r.state = 'reviewing')"""

_FORM_FITS_STIMULUS = """EXISTS (SELECT 1 FROM review_form f
  JOIN blinding_stimulus s ON f.scene = CASE WHEN s.form = '' THEN s.scene ELSE s.form END
  JOIN fartbench_round r ON r.id = s.round_id AND r.protocol_id = f.protocol_id
  WHERE f.id = NEW.form_id AND s.id = NEW.stimulus_id)"""


def _sheet_has_ended(row: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM review_answersheet s WHERE s.id = {row}.sheet_id "
        "AND (s.locked_at IS NOT NULL OR s.unplayable_at IS NOT NULL))"
    )


def _form_is_frozen(row: str, column: str = "form_id") -> str:
    return (
        f"EXISTS (SELECT 1 FROM review_form f WHERE f.id = {row}.{column} AND f.frozen_at IS NOT "
        "NULL)"
    )


SHEETS = (
    Guard("sheet_is_born_a_draft", "review_answersheet", "INSERT",
          "NEW.locked_at IS NOT NULL OR NEW.unplayable_at IS NOT NULL"),
    Guard("sheet_round_is_open", "review_answersheet", "INSERT", f"NOT {_ROUND_IS_OPEN}"),
    Guard("sheet_form_fits_stimulus", "review_answersheet", "INSERT", f"NOT {_FORM_FITS_STIMULUS}"),
    Guard("sheet_keeps_its_place", "review_answersheet", "UPDATE",
          "NEW.reviewer_id <> OLD.reviewer_id OR NEW.stimulus_id <> OLD.stimulus_id OR NEW.form_id "
          "<> OLD.form_id"),
    Guard("sheet_must_be_complete", "review_answersheet", "UPDATE",
          f"OLD.locked_at IS NULL AND NEW.locked_at IS NOT NULL AND {MUST_NOT_LOCK}", ("locked_at",
                                                                                       )),
    Guard("sheet_locks_while_open", "review_answersheet", "UPDATE",
          f"OLD.locked_at IS NULL AND NEW.locked_at IS NOT NULL AND NOT {_ROUND_IS_OPEN}",
          ("locked_at",)),
    Guard("sheet_impression_is_given", "review_answersheet", "UPDATE",
          "OLD.impression_at IS NULL AND NEW.impression_at IS NOT NULL AND "
          f"{_ASKS_FIRST.format(_UNANSWERED)}"),
    Guard("sheet_impression_stands", "review_answersheet", "UPDATE",
          "OLD.impression_at IS NOT NULL AND (NEW.impression_at IS NULL OR NEW.impression_at <> "
          "OLD.impression_at)"),
    Guard("sheet_locks_after_its_impression", "review_answersheet", "UPDATE",
          "OLD.locked_at IS NULL AND NEW.locked_at IS NOT NULL AND NEW.impression_at IS NULL "
          f"AND {_ASKS_FIRST.format('')}"),
    *never_changes("review_answersheet", once="OLD.locked_at IS NOT NULL OR OLD.unplayable_at IS "
                                              "NOT NULL"),
)  # fmt: skip

_OLD_SHEET = ("review_answersheet", "OLD.sheet_id")
_NEW_SHEET = ("review_answersheet", "NEW.sheet_id")
ANSWERS = (
    Guard("answer_joins_a_draft", "review_answer", "INSERT", _sheet_has_ended("NEW"),
          parents=(_NEW_SHEET,)),
    Guard("answer_changes_in_a_draft", "review_answer", "UPDATE",
          f"{_sheet_has_ended('OLD')} OR {_sheet_has_ended('NEW')}",
          parents=(_OLD_SHEET, _NEW_SHEET)),
    Guard("answer_joins_no_kept_impression", "review_answer", "INSERT", _IMPRESSION_STANDS,
          parents=(_NEW_SHEET,)),
    Guard("answer_of_an_impression_stands", "review_answer", "UPDATE", _IMPRESSION_STANDS,
          parents=(_NEW_SHEET,)),
    Guard("answer_leaves_a_draft", "review_answer", "DELETE", _sheet_has_ended("OLD"),
          parents=(_OLD_SHEET,)),
)  # fmt: skip

RULE_ROWS = (
    *never_changes("review_form", once="OLD.frozen_at IS NOT NULL"),
    *(
        Guard(f"{table}_joins_an_open_form", f"review_{table}", "INSERT", _form_is_frozen("NEW"))
        for table in ("formquestion", "allowedanswer")
    ),
    *(
        guard
        for table in ("formquestion", "allowedanswer")
        for guard in never_changes(f"review_{table}", once=_form_is_frozen("OLD"))
    ),
)

_OF_CLOSED_ROUND = """EXISTS (SELECT 1 FROM review_cohortmember m
  JOIN fartbench_round r ON r.id = m.round_id
  WHERE m.id = NEW.member_id AND r.closed_at IS NOT NULL)"""
_OF_OPENED_ROUND = """EXISTS (SELECT 1 FROM fartbench_round r
  WHERE r.id = OLD.round_id AND r.opened_at IS NOT NULL)"""

# An order that somebody has begun to follow stays as it is.
ASSIGNMENTS = (
    *never_changes("review_assignment"),
    Guard("assignment_joins_no_closed_round", "review_assignment", "INSERT", _OF_CLOSED_ROUND),
    *never_changes("review_orderplan", once=_OF_OPENED_ROUND),
    *never_changes("review_trainingclip"),
    *never_changes("review_consenttext"),
    *never_changes("review_consent"),
)

# What was said about a sheet or a stimulus is shown beside it for good.
NOTES = (
    *never_changes("review_mistakereport"),
    *never_changes("review_retirement"),
    Guard(
        "retirement_round_is_open",
        "review_retirement",
        "INSERT",
        """NOT EXISTS (SELECT 1 FROM blinding_stimulus s
  JOIN fartbench_round r ON r.id = s.round_id WHERE s.id = NEW.stimulus_id AND r.state = 'reviewing')""",
    ),
)

# True when the round of the member {row} was opened, and with {state} whether it takes changes of
# its cohort.
_OPENED = (
    "EXISTS (SELECT 1 FROM fartbench_round r WHERE r.id = {row}.round_id AND r.opened_at IS NOT "
    "NULL{state})"
)
_CLOSED = " AND r.state <> 'reviewing'"
# The one change of a role: somebody leaves the primary cohort of an open round, once.
_LEAVES = (
    "OLD.role = 'primary' AND NEW.role = 'replaced' AND OLD.left_at IS NULL AND NEW.left_at IS NOT "
    "NULL"
)
_LEAVING_CHANGES = """(NEW.role <> OLD.role OR NEW.left_reason <> OLD.left_reason
  OR COALESCE(CAST(NEW.left_at AS TEXT), '') <> COALESCE(CAST(OLD.left_at AS TEXT), ''))"""

MEMBERS = (
    Guard("member_keeps_place_and_role", "review_cohortmember", "UPDATE",
          f"{_OPENED.format(row='OLD', state='')} AND (NEW.round_id <> OLD.round_id "
          "OR NEW.reviewer_id <> OLD.reviewer_id OR NEW.place <> OLD.place "
          f"OR ({_LEAVING_CHANGES} AND ({_OPENED.format(row='OLD', state=_CLOSED)} OR NOT "
          f"({_LEAVES}))))"),
    # Sheets, entries and releases name people by their codes.
    Guard("reviewer_keeps_the_code", "review_reviewer", "UPDATE",
          "NEW.code <> OLD.code AND EXISTS (SELECT 1 FROM review_cohortmember m JOIN "
          "fartbench_round r "
          "ON r.id = m.round_id WHERE m.reviewer_id = OLD.id AND r.opened_at IS NOT NULL)"),
    Guard("member_joins_an_open_round", "review_cohortmember", "INSERT", _OPENED.format(row="NEW",
                                                                                        state=_CLOSED)),
    Guard("member_of_an_opened_round_is_kept", "review_cohortmember", "DELETE",
          _OPENED.format(row="OLD", state="")),
)  # fmt: skip

ALL = (*SHEETS, *ANSWERS, *RULE_ROWS, *ASSIGNMENTS, *NOTES, *MEMBERS)
