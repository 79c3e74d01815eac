"""vectors/kept-config.json: the last good config in the folder of the offline store."""

from __future__ import annotations

import json
import os
import stat
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest
from conftest import ScenarioServer, client_threads, vectors
from recorded_log import RecordedLog

from assay import Assay

VECTORS = vectors("kept-config")
CASES = VECTORS["cases"]
NOW = datetime.strptime(VECTORS["now"], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
NAME = f"config-{VECTORS['key_hash']}.json"


class Start:
    """A client that starts with a folder, until its first poll is answered."""

    def __init__(
        self, server: ScenarioServer, folder: Path, file: Optional[str], replies: List[Any], **options: Any
    ) -> None:
        self.log = RecordedLog()
        self.path = folder / NAME
        self.before = None if file is None else file.replace("{base_url}", server.url).encode()
        if self.before is not None:
            self.path.write_bytes(self.before)
        server.play({"/v1/config": replies})
        client = Assay(
            **{
                "api_key": VECTORS["api_key"],
                "base_url": f"{server.url}/",
                "offline_store": folder,
                "logger": self.log.logger,
                "now": lambda: NOW,
                **options,
            }
        )
        others = client_threads()
        snapshot = client._background.snapshot
        found = None if snapshot is None else snapshot.experiments["greeting"].find_variant("u")
        self.at_once = None if found is None else found.key
        polling = client._background._polling  # type: ignore[union-attr]
        while not server.requests("/v1/config") or polling._is_loading:
            time.sleep(0.01)
        self.after_poll = client.assign("greeting", "u")
        self.is_ready = client.wait_ready(0)
        client.close()
        for thread in others:
            thread.join(60)

    @property
    def kept(self) -> Any:
        content = self.path.read_bytes() if self.path.exists() else None
        if content is None:
            return None
        return "unchanged" if content == self.before else json.loads(content)

    def warnings(self, text: str) -> List[str]:
        return [line for line in self.log.lines if line.startswith("warning") and text in line]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_kept_config(case: Dict[str, Any], scenario_server: ScenarioServer, tmp_path: Path) -> None:
    start = Start(scenario_server, tmp_path, case["file"], case["replies"])
    # The poll runs at once. Where it changes the answer, it may have been faster.
    assert start.at_once in (case["at_once"], case["after_poll"])
    assert (start.after_poll, start.is_ready) == (case["after_poll"], case["after_poll"] is not None)
    if isinstance(case["kept"], int):
        body = case["replies"][0]["body"]
        assert body["config_version"] == case["kept"]
        head = {"v": 1, "key_hash": VECTORS["key_hash"], "base_url": scenario_server.url}
        assert start.kept == {**head, "kept_at": VECTORS["now"], "config": body}
        assert os.name == "nt" or stat.S_IMODE(start.path.stat().st_mode) == 0o600
    else:
        assert start.kept == case["kept"]
    unreadable = start.warnings("unreadable kept config")
    in_use = [line for line in start.warnings("kept config") if line not in unreadable]
    assert len(unreadable) == case["unreadable"]
    assert [str(case["in_use_seconds"]) in line for line in in_use] == (
        [] if case["in_use_seconds"] is None else [True]
    )
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".tmp")] == []


def by_name(name: str) -> Any:
    return next(case for case in CASES if case["name"].startswith(name))


def test_a_kept_config_is_in_force_before_any_answer(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9"
    file = by_name("the service is down at a restart")["file"].replace("{base_url}", url)
    (tmp_path / NAME).write_text(file)
    log = RecordedLog()
    with Assay(api_key=VECTORS["api_key"], base_url=url, offline_store=tmp_path, logger=log.logger) as client:
        assert client.wait_ready(0) and client.assign("greeting", "u") == "v1"


def test_10000_users_keep_their_variants_through_a_restart_in_an_outage(
    scenario_server: ScenarioServer, tmp_path: Path
) -> None:
    experiment = {
        **{"id": "1", "name": "greeting", "status": "running", "salt": "s", "bucket_count": 1_000},
        "buckets": [[300, 0], [900, 1], [1_000, -1]],
        "variants": [{"key": "control"}, {"key": "short"}],
    }

    def variants() -> List[Optional[str]]:
        options: Any = {"api_key": VECTORS["api_key"], "base_url": scenario_server.url}
        with Assay(**options, offline_store=tmp_path, track_exposures=False) as client:
            assert client.wait_ready(60)
            return [client.assign("greeting", f"user-{i}") for i in range(10_000)]

    body = {"config_version": 1, "experiments": [experiment]}
    scenario_server.play({"/v1/config": [{"status": 200, "body": body}]})
    before = variants()
    assert set(before) == {"control", "short", None}
    scenario_server.play({"/v1/config": [{"status": 503}]})
    assert variants() == before


def test_a_bootstrap_goes_before_the_kept_config(scenario_server: ScenarioServer, tmp_path: Path) -> None:
    case = by_name("an experiment that changed")
    bootstrap = case["replies"][0]["body"]
    start = Start(scenario_server, tmp_path, case["file"], [{"status": 503}], bootstrap=bootstrap)
    assert (start.at_once, start.kept, start.warnings("kept config")) == ("v2", "unchanged", [])


def test_a_config_over_4_mib_is_neither_kept_nor_read(
    scenario_server: ScenarioServer, tmp_path: Path
) -> None:
    large = json.loads(json.dumps(by_name("the first config is kept")["replies"][0]["body"]))
    large["experiments"][0]["variants"][0]["prompt"] = "x" * 4 * 1024 * 1024
    start = Start(scenario_server, tmp_path, None, [{"status": 200, "body": large}])
    assert (start.after_poll, start.kept) == ("v1", None)
    assert len(start.warnings("over 4 MiB")) == 1
    text = json.dumps(
        {
            "v": 1,
            "key_hash": VECTORS["key_hash"],
            "base_url": scenario_server.url,
            "kept_at": VECTORS["now"],
            "config": large,
        }
    )
    start = Start(scenario_server, tmp_path, text, [{"status": 503}])
    assert (start.at_once, start.kept) == (None, "unchanged")
    assert len(start.warnings("unreadable kept config: over 4 MiB")) == 1


def test_a_folder_that_vanishes_is_a_warning(scenario_server: ScenarioServer, tmp_path: Path) -> None:
    folder = tmp_path / "store"

    def vanish() -> float:
        if folder.exists():
            folder.rmdir()
        return NOW

    folder.mkdir()
    replies = by_name("the first config is kept")["replies"]
    start = Start(scenario_server, folder, None, replies, now=vanish)
    assert start.after_poll == "v1"
    assert len(start.warnings("the config is not kept")) == 1
