"""The README's programs with frameworks, run by the rules of `test_readme`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ScenarioServer
from readme_programs import README, Ended, ReadmePrograms
from test_readme import (
    ANSWER,
    CHAT,
    CHAT_PATH,
    OPENAI_CALL,
    PROMPT,
    RUN_WITH_FRAMEWORKS,
    expect_call,
    of_type,
    run,
)

MAX_CHANGED_LINES = 6


@pytest.mark.parametrize("name", [name for name in RUN_WITH_FRAMEWORKS if "openfeature" not in name])
def test_a_program_with_a_framework_answers_and_its_call_is_reported(
    name: str, tmp_path: Path, scenario_server: ScenarioServer
) -> None:
    ended = run(ReadmePrograms(tmp_path), scenario_server, name, **{CHAT_PATH: CHAT})
    assert ended == Ended(0, f"{ANSWER}\n", ended.errors)
    assert "assay" not in ended.errors.lower()
    assert [event["user_id"] for event in of_type("exposure", scenario_server)] == ["ann"]
    (call,) = of_type("model_call", scenario_server)
    # The spans of the OpenAI Agents SDK do not say what answered, and how it ended.
    is_told = "openai_agents" not in name
    expect_call(call, "ann", OPENAI_CALL if is_told else (OPENAI_CALL[0], OPENAI_CALL[0], None))
    is_agent = "agents" in name or "pydantic" in name
    ends = [(event["completed"], event["run_id"]) for event in of_type("run_end", scenario_server)]
    assert ends == ([(True, call["run_id"])] if is_agent else [])


def test_the_program_with_openfeature_evaluates_flags(
    tmp_path: Path, scenario_server: ScenarioServer
) -> None:
    ended = run(ReadmePrograms(tmp_path), scenario_server, "with_openfeature.py")
    assert ended == Ended(0, f"short {PROMPT} 0.2\n", "")
    assert [event["user_id"] for event in of_type("exposure", scenario_server)] == ["ann"]


@pytest.mark.parametrize("name", RUN_WITH_FRAMEWORKS)
def test_few_lines_of_an_application_change(name: str) -> None:
    (program,) = re.findall(rf"```python\n# {name}\n(.*?)```", README, re.DOTALL)
    changed = [line for line in program.splitlines() if "assay" in line.lower()]
    assert 0 < len(changed) <= MAX_CHANGED_LINES
