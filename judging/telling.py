"""The plan of a round's judging as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from judging.planning import HOUR_S, Estimate, JudgingPlan


def plan_lines(plan: JudgingPlan) -> Iterator[str]:
    """Yield what is asked, form by form; how much of a whole run that is; what each judge should
    cost.
    """
    if plan.of_each_system:
        yield "There are no clips yet; all figures are for each system."
    yield f"{plan.scenes} of the protocol's {plan.of_scenes} {plan.scene_word}s."
    width = max((len(share.form) for share in plan.shares), default=0)
    for share in plan.shares:
        yield (
            f"  {share.form:<{width}}  {share.questions:>6} questions, "
            f"{share.seconds / HOUR_S:.2f} h of video at "
            f"{share.frames_per_second:g} frames a second; {share.covered} of {share.whole} places "
            "of a whole run"
        )
    covered, whole = plan.covered
    yield (
        f"That is {covered / whole:.0%} of a whole run: {covered} of {whole} questions about each "
        "system."
    )
    yield from (_judge(one) for one in plan.estimates)


def _judge(found: Estimate) -> str:
    cost = "its cost is unknown: it has no price"
    if found.usd is not None and found.model.price is not None:
        price = found.model.price
        cost = (
            f"${found.usd:.2f} by upper figures at ${price.input_usd} and ${price.output_usd} for "
            "a million tokens "
            f"({price.source})"
        )
    if found.ended:
        ended = f", {found.ended} have ended already"
    else:
        ended = ""
    return (
        f"{found.model.name}: {found.questions} questions{ended}, {found.seconds / HOUR_S:.2f} h "
        f"of video; {cost}."
    )
