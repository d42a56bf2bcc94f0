# SPDX-License-Identifier: Apache-2.0
"""The sentence above a report of sections: what costs most, and what to do if little is known."""

from __future__ import annotations

from collections.abc import Iterator

from wirecost.results.analysis.causes import Cost, Explanation, Origin
from wirecost.results.analysis.causes.excess import MUCH as MUCH_OF_EXCESS
from wirecost.results.analysis.causes.kinds import INPUT, is_duration, kind_of
from wirecost.results.analysis.misses import FEWEST, LOCKED, LONG, RARE, Common, SlowCalls
from wirecost.results.records.recorded_machine import Started
from wirecost.results.report.shared import units
from wirecost.results.report.shared.causes import COUNTED, MUCH
from wirecost.system.counted import counted
from wirecost.system.function_names import own_functions

MOST = 0.5
"""Unexplained share of the time from which the sentence says how to learn more."""
OF_MEMORY = ("miss", "instruction", "cycle")
"""Units of the counters that show memory access."""
SMALL = 0.05
"""A share of the time that comes second."""
CLEARLY = 1.5
"""Times its share of the median, a cost's share of the slowest executions is worth saying."""
ROUNDING = 0.02
"""Within it, price times count is the time that is written beside them."""
PAGE_BYTES = 4096
SMALLEST_POOL, POOL_OF_HUGE = 64 << 20, 512 << 20
"""Bytes; the second where faults do not say how much memory they are of."""
POOLED = ("fault", "allocation", "byte")
"""Units of the numbers that an allocator with memory of its own reduces."""
WAITED = "run-queue-wait-ns"
POWERS = {2.0: "square", 3.0: "cube"}


def slow_lead(calls: SlowCalls, explanation: Explanation | None, *, is_deadline: bool) -> str:
    """Say how many executions are slow and what these have in common, else what most time is.

    ``24 of 400 calls missed 5.00 ms, every 17th; all touched 81,928 new pages (the others 0).``
    """
    name = calls.section
    if not calls.slow and is_deadline:
        first = f"{name}: no call of {calls.executions:,} missed {units.time(calls.limit_ns)}."
    elif not is_deadline and calls.slow <= max(FEWEST - 1, RARE * calls.executions):
        first = (
            f"{name} takes the most time: {counted(calls.executions, 'call')}, median "
            f"{units.time(calls.median_ns)}."
        )
    else:
        first = f"{name}: {_slow(calls, is_deadline)}{_reasons(calls, explanation)}."
        first += _longest(calls)
    usual = explanation is not None and _of_usual(calls, explanation)
    return f"{first} {usual}" if usual else first


def slow_steps(
    calls: SlowCalls, explanation: Explanation | None, started: Started
) -> Iterator[str]:
    """Yield what to do about slow executions, each with its command."""
    waits = calls.waited or (explanation is not None and explanation.waits_uncounted)
    names = [cause.name for cause in calls.common]
    if explanation is not None and not calls.common:
        names = [cost.name for cost in explanation.costs if _matters(explanation, cost)]
    is_own = is_own_work(calls)
    is_uncounted = calls.waited or (waits and not names and calls.computed <= calls.slow / 2)
    if not calls.common and is_uncounted:
        yield f"To count what it waits for:\n{started.run(counters=f'{COUNTED},{LOCKED}')}"
    if is_own or not (names or is_uncounted):
        pattern = own_functions(started.words)
        inside = "NAME" if pattern in started.functions else pattern
        yield f"To time the functions that it calls:\n{started.run(['--function', inside])}"
    steps = [step for name in names for step in _steps(calls, name, explanation, started)]
    yield from dict.fromkeys(steps)


def is_own_work(calls: SlowCalls) -> bool:
    """Say whether several slow executions just computed, where nothing else is known of them."""
    return not calls.common and not calls.waited and calls.computed >= FEWEST


def _slow(calls: SlowCalls, is_deadline: bool) -> str:
    """Return ``24 of 400 calls missed 5.00 ms, every 17th``."""
    limit = units.time(calls.limit_ns)
    text = f"{calls.slow:,} of {counted(calls.executions, 'call')} "
    text += f"missed {limit}" if is_deadline else f"took above {limit}, {LONG:.0f} × the median"
    if calls.slow_median_ns is not None and calls.slow >= FEWEST:
        text += f" (slow calls: median {units.time(calls.slow_median_ns)})"
    return f"{text}, every {_ordinal(calls.every)}" if calls.every else text


def _reasons(calls: SlowCalls, explanation: Explanation | None) -> str:
    """Return ``; all touched 10,240 new pages (the others 0)``, or that they waited."""
    if calls.common:
        reasons = [_reason(cause, calls, explanation) for cause in calls.common[:2]]
        return "".join(f"; {text}" for text in [*reasons, *_others(calls, explanation)])
    if calls.waited:
        who = "all" if calls.waited == calls.slow else f"{calls.waited:,} of them"
        return f"; {who} waited (context switches); what they waited for was not counted"
    if is_own_work(calls):
        others = calls.slow - calls.computed
        who = f"{calls.computed:,} of them" if others else "all"
        text = f"; {who} ran all the time: it is their own work"
        return f"{text}; {counted(others, 'other')} waited too" if others else text
    return "; no counter shows why" if calls.slow >= FEWEST else ""


def _longest(calls: SlowCalls) -> str:
    """Return `` The longest, 187 ms, waited 170 ms for a processor.``, if it is far longer."""
    slow_ns = calls.slow_median_ns
    if calls.slow < FEWEST or slow_ns is None or calls.longest_ns < LONG * slow_ns:
        return ""
    text = f" The longest, {units.time(calls.longest_ns)},"
    if calls.longest_queued_ns:
        return f"{text} waited {units.time(calls.longest_queued_ns)} for a CPU."
    if calls.longest_left and calls.longest_queued_ns is None:
        return f"{text} left the CPU {counted(calls.longest_left, 'time')}."
    return ""


def _others(calls: SlowCalls, explanation: Explanation | None) -> Iterator[str]:
    """Yield ``7 others waited (context switches)``, of slow calls without the first cause."""
    first = calls.common[0]
    if len(calls.common) == 1 and first.others_waited:
        is_counted = explanation is not None and not explanation.waits_uncounted
        how = "for a CPU" if is_counted else "(context switches)"
        rest = calls.slow - first.slow
        others = "other" if rest == 1 else "others"
        some = f"{first.others_waited:,} of " if first.others_waited < rest else ""
        yield f"{some}{rest:,} {others} waited {how}"


def _reason(cause: Common, calls: SlowCalls, explanation: Explanation | None) -> str:
    who = "all" if cause.slow == calls.slow else f"{cause.slow:,} of them"
    if cause.every and cause.every != calls.every:
        who += f", every {_ordinal(cause.every)},"
    count = units.span((cause.low, cause.high), lambda number: _amount(cause.name, number), " to ")
    deed = kind_of(cause.name).deed or f"had {{}} {_shown(cause.name)}"
    others = _amount(cause.name, cause.usual)
    cost = _cost_of(cause.name, explanation)
    if _is_of_huge_pages(calls, cause.name, cost):
        text = f"{who} touched new memory in {count} page faults (the others {others})"
    else:
        text = f"{who} {deed.format(count)}{_memory(cause)} (the others {others})"
    if cause.power is None and cause.longer_ns > 0 and not is_duration(cause.name):
        text += f" and took {units.time(cause.longer_ns)} longer"
    if cause.power is not None:
        grown = POWERS.get(cause.power, f"power of {cause.power:g}")
        text += f", and the time grows with its {grown}"
    return text


def _memory(cause: Common) -> str:
    """Return ``, 336 MB`` of small pages; nothing of anything else."""
    if kind_of(cause.name).unit != "fault":
        return ""
    ends = cause.low * PAGE_BYTES, cause.high * PAGE_BYTES
    return f", {units.span(ends, lambda size: units.size(int(size)), ' to ')}"


def _of_usual(calls: SlowCalls, explanation: Explanation) -> str | None:
    """Return what most of the median is, if it is not what the slow executions have in common."""
    cost = next((cost for cost in explanation.costs if _matters(explanation, cost)), None)
    if cost is None or cost.name in {cause.name for cause in calls.common}:
        return None
    part = f"{units.time(cost.ns_median)} of {units.time(explanation.median_ns)}"
    share = f"{100 * _of_median(explanation, cost):.0f} %"
    return f"In the median call, {_shown(cost.name)} take{_s(cost.name)} {part} ({share})."


def _s(name: str) -> str:
    return "s" if name == INPUT or is_duration(name) else ""


def _matters(explanation: Explanation, cost: Cost) -> bool:
    return not cost.holds_waiting and _of_median(explanation, cost) >= MUCH


def _steps(
    calls: SlowCalls, name: str, explanation: Explanation | None, started: Started
) -> Iterator[str]:
    hint = "" if "--deadline" in started.options else " (--deadline TIME judges by misses)"
    which = f"Which remedy helps most?{hint}\n{started.trial()}"
    size = _pool(calls, name, cost := _cost_of(name, explanation))
    keep = f"To keep the memory (it holds {size}):\n{started.heap(size)}"
    kind = kind_of(name)
    advice = cost.advice if cost is not None else kind.advice
    if _is_of_huge_pages(calls, name, cost):
        yield which
        yield keep
        yield "In the code: reuse buffers; these calls got new memory each time."
    elif cost is not None and cost.benchmark_ns:
        yield f"{_capital(_shown(name))}: {advice}."
    elif kind.unit in POOLED and not name.startswith("major"):
        yield keep
        yield which
    elif name == WAITED:
        yield f"{_capital(advice)}."
        yield which
    else:
        yield f"{_capital(advice)}."


def _cost_of(name: str, explanation: Explanation | None) -> Cost | None:
    costs = explanation.costs if explanation is not None else []
    return next((cost for cost in costs if cost.name == name), None)


def _is_of_huge_pages(calls: SlowCalls, name: str, cost: Cost | None) -> bool:
    """Say whether faults cost more, or have more to do with slow calls, than 4 KiB each explain.

    Then their number does not say how much memory they are of.
    """
    if kind_of(name).unit != "fault" or name.startswith("major"):
        return False
    marks = (cause.share < MUCH_OF_EXCESS for cause in calls.common if cause.name == name)
    return any(marks) or (cost is not None and cost.benchmark_ns is not None)


def _pool(calls: SlowCalls, name: str, cost: Cost | None) -> str:
    """Return the size of a pool that has room for what one execution touches."""
    if _is_of_huge_pages(calls, name, cost):
        return f"{POOL_OF_HUGE >> 20}MiB"
    most = max((cause.high for cause in calls.common if cause.name == name), default=0.0)
    needed = most * PAGE_BYTES if kind_of(name).unit == "fault" else most
    size = SMALLEST_POOL
    while size < needed:
        size *= 2
    return f"{size >> 20}MiB"


def _amount(name: str, number: float) -> str:
    return units.time(number) if is_duration(name) else f"{number:,.0f}"


def _ordinal(number: int | None) -> str:
    """Return ``2nd``, ``17th``."""
    assert number is not None
    ends = {1: "st", 2: "nd", 3: "rd"}
    is_teen = number % 100 // 10 == 1
    return f"{number}{'th' if is_teen else ends.get(number % 10, 'th')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def cause_lead(explanations: list[Explanation], order: list[str]) -> str | None:
    """Explain the first section in ``order`` that has causes, else the first that was examined.

    It is None where all have too few executions.
    """
    by_section = {explanation.section: explanation for explanation in explanations}
    in_order = [by_section[section] for section in order if section in by_section]
    chosen = next(
        (explanation for explanation in in_order if explanation.costs), next(iter(in_order), None)
    )
    if chosen is None:
        return None
    parts = [*(_largest(chosen, cost) for cost in chosen.costs[:1]), _unexplained(chosen)]
    if (
        chosen.costs
        and max(_of_median(chosen, chosen.costs[0]), _of_slowest(chosen, chosen.costs[0])) < SMALL
    ):
        parts.reverse()
    return " ".join(filter(None, parts)) or None


def _largest(explanation: Explanation, cost: Cost) -> str:
    """Return ``filter: minor faults: 120 × 400 ns = 48.0 µs of 180 µs in the median execution``."""
    tail = _of_slowest(explanation, cost) > CLEARLY * _of_median(explanation, cost)
    ns, whole = (
        (cost.ns_slowest, explanation.slowest_ns)
        if tail
        else (cost.ns_median, explanation.median_ns)
    )
    count = cost.count_slowest if tail else cost.count_median
    text = f"{explanation.section}: {_shown(cost.name)}: "
    each = cost.ns_each if not tail else ns / count if count > 0 else 0.0
    if (
        not is_duration(cost.name)
        and not cost.holds_waiting
        and ns > 0
        and abs(each * count / ns - 1) <= ROUNDING
    ):
        number = f"{count:,.0f}" if count >= 100 else units.significant(count)
        text += f"{number} × {units.time(each)} = "
    text += f"{units.time(ns)} of {units.time(whole)}"
    text += f" in {'the slowest 1 %' if tail else 'the median execution'}"
    text += f" ({100 * _share(ns, whole):.0f} %)"
    if cost.origin is Origin.MACHINE:
        text += ", at the cost that a benchmark measured on this machine"
    if cost.holds_waiting:
        return f"{text} go along with them: {cost.advice}."
    return f"{text}. To reduce it: {cost.advice}."


def _unexplained(explanation: Explanation) -> str | None:
    """Return what to do next where most of the time is none of the counters'."""
    rest = _share(explanation.rest_median_ns, explanation.median_ns)
    if rest < MOST:
        return None
    of_section = "" if explanation.costs else f" of {explanation.section}"
    text = (
        f"{units.time(explanation.rest_median_ns)} of {units.time(explanation.median_ns)} "
        f"({100 * rest:.0f} %) of the median execution{of_section} is explained by no "
        "counter: it is the section's own computation, or what was not counted. To see which part "
        "of it, add sections inside, or time its functions with wirecost probe run --function NAME"
    )
    if memory := [name for name in explanation.absent if kind_of(name).unit in OF_MEMORY]:
        names = ", ".join(_shown(name) for name in memory)
        text += (
            f"; memory access could not be judged, because {names} cannot be read on this machine "
            "(wirecost doctor)"
        )
    return f"{text}."


def _of_median(explanation: Explanation, cost: Cost) -> float:
    return _share(cost.ns_median, explanation.median_ns)


def _of_slowest(explanation: Explanation, cost: Cost) -> float:
    return _share(cost.ns_slowest, explanation.slowest_ns)


def _shown(name: str) -> str:
    """Return ``minor-faults`` as words."""
    return name.replace("-", " ") if name.islower() else name


def _share(ns: float, whole: float) -> float:
    return ns / whole if whole > 0 else 0.0
