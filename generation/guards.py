"""What the database itself refuses about what is commissioned and about verdicts on scenarios, on
both engines.
"""

from fartbench.writeonce import Guard, never_changes

_EARLIER = "generation_scenarioverdict v WHERE v.digest = NEW.digest AND v.place"
_TWO_DIFFER = f"""(SELECT COUNT(DISTINCT CASE WHEN v.verdict = 'accept' THEN 1 ELSE 0 END)
  FROM {_EARLIER} IN (1, 2)) = 2"""

VERDICTS = (
    Guard("scenarioverdict_comes_in_turn", "generation_scenarioverdict", "INSERT",
          f"(NEW.place = 2 AND NOT EXISTS (SELECT 1 FROM {_EARLIER} = 1)) OR (NEW.place = 3 AND "
          f"NOT {_TWO_DIFFER})"),
    *never_changes("generation_scenarioverdict"),
    *never_changes("generation_verdictwaiver"),
)  # fmt: skip

_OPENED = (
    "EXISTS (SELECT 1 FROM fartbench_round r WHERE r.id = {round} AND r.opened_at IS NOT NULL)"
)
_PUBLISHED = (
    "EXISTS (SELECT 1 FROM fartbench_round r WHERE r.id = {round} AND r.published_at IS NOT NULL)"
)
_HAS_OPENED_CELL = """EXISTS (SELECT 1 FROM generation_cell c JOIN fartbench_round r ON r.id = c.round_id
  {join} WHERE {own} AND r.opened_at IS NOT NULL)"""
_OF_CONFIGURATION = _HAS_OPENED_CELL.format(join="", own="c.configuration_id = OLD.id")
_OF_FAMILY = _HAS_OPENED_CELL.format(
    join="JOIN generation_configuration k ON k.id = c.configuration_id", own="k.family_id = OLD.id"
)

_CELL_IS_OPENED = """EXISTS (SELECT 1 FROM generation_cell c JOIN fartbench_round r ON r.id = c.round_id
  WHERE c.id = {row}.cell_id AND r.opened_at IS NOT NULL)"""
_SAMPLE_IS_OPENED = """EXISTS (SELECT 1 FROM generation_sample s
  JOIN generation_cell c ON c.id = s.cell_id JOIN fartbench_round r ON r.id = c.round_id
  WHERE s.id = NEW.sample_id AND r.opened_at IS NOT NULL)"""
_SAMPLES_OF_OPENED_ROUNDS = (
    Guard("sample_of_an_opened_round_is_frozen", "generation_sample", "UPDATE",
          f"{_CELL_IS_OPENED.format(row='OLD')} OR {_CELL_IS_OPENED.format(row='NEW')}"),
    Guard("sample_of_an_opened_round_is_kept", "generation_sample", "DELETE",
          _CELL_IS_OPENED.format(row="OLD")),
    *(
        Guard(f"{table}_joins_no_opened_round", f"generation_{table}", "INSERT", _SAMPLE_IS_OPENED)
        for table in ("chunk", "promptdelivery")
    ),
    Guard("sample_joins_no_opened_round", "generation_sample", "INSERT",
          _CELL_IS_OPENED.format(row="NEW")),
)  # fmt: skip

# Whose clips those of an opened round are: what its configurations stand for, and which cell is
# whose.
IDENTITIES = (
    *never_changes("generation_configuration", once=_OF_CONFIGURATION),
    *never_changes("generation_family", once=_OF_FAMILY),
    Guard("cell_of_an_opened_round_keeps_its_place", "generation_cell", "UPDATE",
          f"({_OPENED.format(round='OLD.round_id')} OR {_OPENED.format(round='NEW.round_id')}) "
          "AND (NEW.round_id <> OLD.round_id OR NEW.configuration_id <> OLD.configuration_id "
          "OR NEW.scene <> OLD.scene OR NEW.replicate <> OLD.replicate)"),
    # What a release says of a cell is frozen with it.
    Guard("cell_of_a_published_round_keeps_its_note", "generation_cell", "UPDATE",
          "NEW.limitation <> OLD.limitation AND "
          f"{_PUBLISHED.format(round='OLD.round_id')}"),
    *_SAMPLES_OF_OPENED_ROUNDS,
    Guard("cell_joins_no_opened_round", "generation_cell", "INSERT",
          _OPENED.format(round="NEW.round_id")),
    Guard("cell_of_an_opened_round_is_kept", "generation_cell", "DELETE",
          _OPENED.format(round="OLD.round_id")),
)  # fmt: skip

ALL = (
    *IDENTITIES,
    *never_changes("generation_clip"),
    *never_changes("generation_sampleevent"),
    *never_changes("generation_promptaudit"),
    *never_changes("generation_rawview"),
    *never_changes("generation_chunk"),
    *never_changes("generation_promptdelivery"),
    *never_changes("generation_prompt", once="OLD.frozen_at IS NOT NULL"),
    *never_changes("generation_sample", once="OLD.frozen_at IS NOT NULL"),
    *VERDICTS,
)
