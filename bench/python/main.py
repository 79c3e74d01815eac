"""
Measures the Python client next to GrowthBook's: `main.py <base URL>`; prints one JSON object, times in ns.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Callable, Iterator, List

from contestants import (
    EXPERIMENT,
    VARIANTS,
    Contestant,
    flush_all,
    start_assay,
    start_client,
    start_growthbook,
)

#: Only shows that it runs.
IS_TINY = os.environ.get("BENCH_TINY") == "1"
ROUNDS = 1 if IS_TINY else 15
WARM_UP_ROUNDS = 0 if IS_TINY else 2
#: A client remembers more exposures, and queues more events, than this.
USERS = 5_000
#: Calls that are timed together: a single call is shorter than the clock's resolution.
BATCH = 50
#: For 5,000 users: seven standard deviations of a fair split.
LARGEST_SKEW = 0.05
EVENTS = 1_000 if IS_TINY else 8_000
MEMORY_USERS = 5_000 if IS_TINY else 1_000_000
DEFAULTS = {"temperature": 1, "model": "small", "top_p": 0.9}


class Workload:
    """A call that is made for each user of a round. Times are kept per round."""

    def __init__(
        self,
        name: str,
        call: Callable[[str], object],
        users: Iterator[List[str]],
        settle: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.p50: list[float] = []
        self.p90: list[float] = []
        self._call = call
        self._users = users
        self._settle = settle

    def round(self, is_kept: bool) -> None:
        users = next(self._users)
        call = self._call
        times = []
        for start in range(0, len(users), BATCH):
            batch = users[start : start + BATCH]
            before = time.perf_counter_ns()
            for user in batch:
                answer = call(user)
            times.append((time.perf_counter_ns() - before) / len(batch))
            if answer is None:
                raise RuntimeError(f"{self.name}: no answer")
        self._settle()
        times.sort()
        if is_kept:
            self.p50.append(times[len(times) // 2])
            self.p90.append(times[len(times) * 9 // 10])


def known_users(template: str = "user-%d") -> Iterator[List[str]]:
    """The same users in each round, as new strings: ids from the wire have no cached hash."""
    while True:
        yield [template % serial for serial in range(USERS)]


def new_users() -> Iterator[List[str]]:
    """Users that no earlier round has seen."""
    first = 0
    while True:
        yield ["new-user-%d" % serial for serial in range(first, first + USERS)]
        first += USERS


def measure(workloads: List[Workload]) -> list[dict[str, object]]:
    for round in range(-WARM_UP_ROUNDS, ROUNDS):
        for workload in workloads:
            workload.round(is_kept=round >= 0)
    return [{"name": workload.name, "p50": workload.p50, "p90": workload.p90} for workload in workloads]


def check_split(contestant: Contestant) -> None:
    """The libraries hash differently, but each must put half of the users into each variant."""
    users = next(known_users())
    answers = [contestant.decide(user) for user in users]
    contestant.settle()
    for key in VARIANTS:
        if abs(answers.count(key) / len(users) - 0.5) > LARGEST_SKEW:
            raise RuntimeError(f"{contestant.name} does not run the experiment: {answers.count(key)} × {key}")


def decisions(base_url: str, are_new: bool) -> list[dict[str, object]]:
    contestants = [start(base_url, are_new) for start in (start_assay, start_growthbook)]
    for contestant in contestants:
        check_split(contestant)
    users = new_users if are_new else known_users
    rows = measure([Workload(each.name, each.decide, users(), each.settle) for each in contestants])
    for contestant in contestants:
        contestant.stop()
    return rows


def own_calls(base_url: str) -> list[dict[str, object]]:
    client = start_client(base_url)
    silent = start_client(base_url, track_exposures=False)
    lengths = {user: len(user) for user in next(known_users())}
    event = {
        "experiment_id": EXPERIMENT,
        "business_metric": "purchase",
        "value": 1,
        "metadata": {"plan": "pro"},
    }

    def track(user: str) -> bool:
        client.track("business_event", {**event, "user_id": user})
        return True

    def settle() -> None:
        flush_all(client)

    rows = measure(
        [
            Workload("reference: `dict.get` of the id", lengths.get, known_users()),
            Workload(
                "`assign`, known user", lambda user: client.assign(EXPERIMENT, user), known_users(), settle
            ),
            Workload("`assign`, no exposures", lambda user: silent.assign(EXPERIMENT, user), known_users()),
            Workload(
                "`assign`, id outside ASCII",
                lambda user: silent.assign(EXPERIMENT, user),
                known_users("användare-日本-%d"),
            ),
            Workload("`get_prompt`", lambda user: silent.get_prompt(EXPERIMENT, user, ""), known_users()),
            Workload(
                "`get_variables`",
                lambda user: silent.get_variables(EXPERIMENT, user, DEFAULTS),
                known_users(),
            ),
            Workload("`track`", track, known_users(), settle),
        ]
    )
    client.close()
    silent.close()
    return rows


def delivery(base_url: str) -> dict[str, list[float]]:
    """Events per second of the process's own CPU time: into the queue, and out of it, acknowledged."""
    client = start_client(base_url)
    delivered = []
    for round in range(-1, 1 if IS_TINY else 9):
        start = time.process_time()
        for serial in range(EVENTS):
            event = {
                "experiment_id": EXPERIMENT,
                "user_id": "user-%d" % serial,
                "business_metric": "m",
                "value": 1,
            }
            client.track("business_event", event)
        flush_all(client)
        if round >= 0:
            delivered.append(EVENTS / (time.process_time() - start))
    client.close()
    return {"`track`, sent and acknowledged": delivered}


def memory(base_url: str) -> dict[str, float]:
    """Resident memory in MiB after 100,000 distinct users and after a million."""
    client = start_client(base_url)
    sizes = {}
    for serial in range(MEMORY_USERS):
        client.assign(EXPERIMENT, "memory-user-%d" % serial)
        if serial % USERS == USERS - 1:
            flush_all(client)
        if serial + 1 in (MEMORY_USERS // 10, MEMORY_USERS):
            sizes[str(serial + 1)] = resident_mib()
    client.close()
    return sizes


def resident_mib() -> float:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096 / 2**20


def main(base_url: str) -> None:
    report = {
        "runtime": "Python %d.%d" % sys.version_info[:2],
        "known": decisions(base_url, are_new=False),
        "new": decisions(base_url, are_new=True),
        "calls": own_calls(base_url),
        "events": delivery(base_url),
        "memory": memory(base_url),
    }
    print(json.dumps(report))


main(sys.argv[1])
