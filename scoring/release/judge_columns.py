"""The tables of AI judges in a release. No Django here."""

from __future__ import annotations

from scoring.release.columns import CELL, EVERY_ROW, Column, Table

_JUDGE = (
    Column("judge", "The judge, by name."),
    Column("variant", "frozen for the run that is calibrated, else the name of a sensitivity run."),
)
JUDGES = Table(
    "judges",
    "The AI judges of the round. Nothing of theirs enters a gate, a score or a rank.",
    (
        *EVERY_ROW,
        *_JUDGE,
        Column("label", "Its name for people."),
        Column("service", "Through which kind of service it was asked."),
        Column("model", "The service's name of the model."),
        Column(
            "protocol_sha256",
            "SHA-256 of its frozen protocol; the content stands in judge_protocols.json.",
        ),
        Column(
            "frozen_at", "When that was frozen, before any clip was sent; ISO 8601, UTC.", "time"
        ),
    ),
)
JUDGE_ANSWERS = Table(
    "judge_answers",
    "What the AI judges answered: one row for each judge, clip and question.",
    (
        *EVERY_ROW,
        *_JUDGE,
        *CELL,
        Column("stimulus", "The opaque id of the blind copy that was sent."),
        Column(
            "state",
            "answered, blocked, invalid or error; due or asking where nothing is known yet.",
        ),
        Column("code", "What kind of error it was."),
        Column("reason", "Why there is no answer."),
        Column("model_version", "The model's version as the service returned it."),
        Column("input_tokens", "Tokens read; empty if unknown.", "integer"),
        Column("output_tokens", "Tokens written and thought; empty if unknown.", "integer"),
        Column("cost_usd", "What it cost by the stated price, in US dollars; empty if unknown."),
        Column("ended_at", "When it ended; ISO 8601, UTC.", "time"),
        Column("question", "The question, by its key in the protocol."),
        Column("answer", "A value of the question, or na:REASON; empty when there is no answer."),
    ),
)

_CALIBRATED = (*EVERY_ROW, Column("judge", "The judge, by name; its frozen run."))
_JACKKNIFE = "jackknife over configurations"
_CONSTANT = "what a judge reaches that always gives it"
JUDGE_FACTS = Table(
    "judge_facts",
    "How far each AI judge agrees with people on each factual question: over all scenes, and in "
    "each.",
    (
        *_CALIBRATED,
        Column("question", "The question, by its key in the protocol."),
        Column("scene", "The scene, by its key; empty over all of them."),
        Column("n", "Clips on which people agree on a value.", "integer"),
        Column("agreed", "Clips of these on which the judge says the same.", "integer"),
        Column("share", "Agreed of n, as a decimal number."),
        Column("low", "Lower limit of its 95% interval: Wilson, clustered by configuration."),
        Column("high", "Upper limit."),
        Column("needed", "The share from which the judge is calibrated, as a fraction."),
        Column(
            "verdict",
            "met_surely, met, not_met, too_few, or not_complete where not every clip was asked "
            "about.",
        ),
        Column("commonest", "The answer that people give most often."),
        Column("commonest_share", f"Its share of n: {_CONSTANT}."),
        Column("ceiling", "Share in which one reviewer agrees with the unanimous others."),
        Column("ceiling_low", "Lower limit of its 95% interval."),
        Column("ceiling_high", "Upper limit."),
        Column("ceiling_n", "Comparisons behind it.", "integer"),
        Column("split", "Clips left out because people split.", "integer"),
        Column("na", "Clips left out because people say N/A.", "integer"),
        Column("incomplete", "Clips left out because sheets are missing.", "integer"),
        Column("not_asked", "Clips that the judge was not asked about.", "integer"),
        Column("leniency", "On causes: the share of people's No that the judge calls Yes."),
        Column("leniency_low", "Lower limit of its 95% interval."),
        Column("leniency_high", "Upper limit."),
        Column("leniency_n", "Causes that people call No.", "integer"),
    ),
)
JUDGE_RATINGS = Table(
    "judge_ratings",
    "How near each AI judge's ratings are to people's, and whether it tells clips apart; read with "
    "judge_facts.",
    (
        *_CALIBRATED,
        Column("question", "The scale, by its key in the protocol."),
        Column("n", "Clips that both people and the judge rated.", "integer"),
        Column("missing", "Clips that people rated and the judge did not.", "integer"),
        Column("not_asked", "Clips that the judge was not asked about.", "integer"),
        Column("mae", "Mean absolute error against the median of people's ratings, in points."),
        Column("mae_low", f"Lower limit of its 95% interval: {_JACKKNIFE}."),
        Column("mae_high", "Upper limit."),
        Column("constant", "The constant rating with the least error."),
        Column("constant_mae", f"Its mean absolute error: {_CONSTANT}."),
        Column("constant_mae_low", f"Lower limit of its 95% interval: {_JACKKNIFE}.", since=3),
        Column("constant_mae_high", "Upper limit.", since=3),
        Column(
            "skill", "By what share the judge's error is less than that of the constant.", since=3
        ),
        Column("skill_low", f"Lower limit of its 95% interval: {_JACKKNIFE}.", since=3),
        Column("skill_high", "Upper limit.", since=3),
        Column("d", "Somers' D of judge given people, within scenes."),
        Column("d_low", f"Lower limit of its 95% interval: {_JACKKNIFE}."),
        Column("d_high", "Upper limit."),
        Column("pairs", "Pairs of clips behind it.", "integer"),
        Column("configurations", "Configurations behind it.", "integer"),
        Column("reads", "The result in words."),
    ),
)
