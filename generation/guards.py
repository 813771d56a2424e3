"""What the database itself refuses about what is commissioned and about verdicts on scenarios, on both engines."""

from fartbench.writeonce import Guard, never_changes

_EARLIER = "generation_scenarioverdict v WHERE v.digest = NEW.digest AND v.place"
_TWO_DIFFER = f"""(SELECT COUNT(DISTINCT CASE WHEN v.verdict = 'accept' THEN 1 ELSE 0 END)
  FROM {_EARLIER} IN (1, 2)) = 2"""

VERDICTS = (
    Guard("scenarioverdict_comes_in_turn", "generation_scenarioverdict", "INSERT",
          f"(NEW.place = 2 AND NOT EXISTS (SELECT 1 FROM {_EARLIER} = 1)) OR (NEW.place = 3 AND NOT {_TWO_DIFFER})"),
    *never_changes("generation_scenarioverdict"),
    *never_changes("generation_verdictwaiver"),
)  # fmt: skip

ALL = (
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
