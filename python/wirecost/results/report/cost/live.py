# SPDX-License-Identifier: Apache-2.0
"""The answer about a running graph that was not listened to: who is there, without a verdict."""

from __future__ import annotations

from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.results.report.cost.answer import LONGEST_NAME, names_of, share
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import without_middle


def unlistened_answer(cost: SystemCost) -> Answer:
    """Return who publishes and takes each topic, and what the processes took of a core."""
    nodes = {
        node for topic in cost.topics for node in (*(topic.publishers or ()), *(topic.takers or ()))
    }
    topics = counted(len({topic.topic for topic in cost.topics}), "topic")
    text = f"{topics} of {counted(len(nodes), 'node')}; their rates and bytes were not listened to."
    if cost.processes:
        whole = share(sum(process.share for process in cost.processes if not process.has_ended))
        processes = counted(len(cost.processes), "process", "processes")
        text += f" The graph's {processes} took {whole} of a core."
    columns = [
        Column[TopicCost]("topic", lambda topic: without_middle(topic.topic, LONGEST_NAME)),
        Column[TopicCost]("type", lambda topic: topic.type.replace("/", ".").rpartition(".")[2]),
        Column[TopicCost]("published by", lambda topic: names_of(topic.publishers)),
        Column[TopicCost]("taken by", lambda topic: names_of(topic.takers)),
        Column[TopicCost]("QoS", lambda topic: topic.qos.replace(", ", "; "), optional=1),
    ]
    title = "Topics, without rates: --no-subscribe"
    ordered = sorted(cost.topics, key=lambda topic: topic.topic)
    return Answer(text, Table.of(title, ordered, columns))
