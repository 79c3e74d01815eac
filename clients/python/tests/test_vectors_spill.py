"""vectors/spill.json: what a client keeps in a folder, and what the next client sends from it."""

from __future__ import annotations

import functools
import json
import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest
from conftest import ScenarioServer, vectors
from virtual_run import VirtualRun

from assay._client_log import ClientLog
from assay._event_row import KeptEvent
from assay._file_store import FileStore

VECTORS = vectors("spill")
HEAD = f"spill-{VECTORS['key_hash']}-"
CONFIG = [{"status": 200, "body": {"config_version": 1, "experiments": []}}]
# Five tries at most take 15 s here, a pause 300 s; the config is polled each minute.
RUN_MS = 200_000
TURN_MS = 250


def reply_of(answer: Any) -> Any:
    if answer == "reset":
        return "reset"
    if isinstance(answer, str):
        return {"status": 429, "body": {"type": f"https://assay.dev/problems/{answer}"}}
    return {"status": answer, "body": {"accepted": 1, "rejected": []} if answer == 202 else {}}


def epoch_seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()


def prepare(folder: Path, files: List[Dict[str, Any]]) -> None:
    for file in files:
        path = folder / file["name"]
        path.write_bytes(file["text"].encode("ascii"))
        modified = time.time() - file["age_seconds"]
        os.utime(str(path), (modified, modified))


def run_clients(server: ScenarioServer, case: Dict[str, Any], folder: Path) -> List[str]:
    events = [reply_of(answer) for answer in case["answers"]]
    server.play({"/v1/config": CONFIG, "/v1/events": events})
    now = epoch_seconds(case["now"])

    def open_store(log: ClientLog) -> Optional[FileStore]:
        return FileStore(str(folder), VECTORS["api_key"], lambda: now, log)

    runs = [VirtualRun(server, 0.5, events, CONFIG, open_store) for _ in range(case["clients"])]
    for event in case["tracked"]:
        row = json.dumps(event).encode()
        kept = KeptEvent(event["event_id"], int(epoch_seconds(event["timestamp"]) * 1_000), row)
        runs[0].at(0, functools.partial(runs[0].delivery.add, kept, 0))
    runs[0].at(0, lambda: runs[0].flush(600_000, lambda _: None))
    for until in range(0, RUN_MS, TURN_MS):
        for run in runs:
            run.run_until(until)
    for run in runs:
        run.close()
    return [line for run in runs for line in run.log.lines]


def accepted_by(server: ScenarioServer, answers: List[Any]) -> List[Dict[str, Any]]:
    batches = [json.loads(request["body"])["events"] for request in server.requests("/v1/events")]
    verdicts = [answers[min(index, len(answers) - 1)] for index in range(len(batches))]
    return [
        {"event_id": row["event_id"], "timestamp": row["timestamp"]}
        for batch, verdict in zip(batches, verdicts)
        if verdict == 202
        for row in batch
    ]


def kept_in(folder: Path, untouched: List[str]) -> List[str]:
    names = [path for path in folder.iterdir() if path.name not in untouched]
    assert all(path.name.startswith(HEAD) and path.name.endswith(".ndjson") for path in names)
    lines = [json.loads(line) for path in names for line in path.read_text("utf-8").split("\n")[:-1]]
    assert all(line["v"] == 1 for line in lines)
    return [line["event"]["event_id"] for line in lines]


def counted(lines: List[str], words: str) -> int:
    return sum(int(line.rsplit(": ", 1)[1]) for line in lines if words in line)


def by_id(row: Dict[str, Any]) -> str:
    return str(row["event_id"])


@pytest.mark.parametrize("case", VECTORS["cases"], ids=[case["name"] for case in VECTORS["cases"]])
def test_spill(case: Dict[str, Any], scenario_server: ScenarioServer, tmp_path: Path) -> None:
    prepare(tmp_path, case["files"])
    lines = run_clients(scenario_server, case, tmp_path)
    accepted = accepted_by(scenario_server, case["answers"])
    assert sorted(accepted, key=by_id) == sorted(case["accepted"], key=by_id)
    assert sorted(kept_in(tmp_path, case["untouched"])) == sorted(case["kept"])
    for file in case["files"]:
        if file["name"] in case["untouched"]:
            assert (tmp_path / file["name"]).read_bytes() == file["text"].encode("ascii")
    assert counted(lines, "over 24 h old") == case["log"].get("expired", 0)
    assert counted(lines, "unreadable") == case["log"].get("unreadable", 0)
