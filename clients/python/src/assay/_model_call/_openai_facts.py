"""The facts in answers of OpenAI."""

from __future__ import annotations

from typing import Any, Dict


def openai_facts(input_name: str, output_name: str) -> Dict[str, Any]:
    """Returns the table of facts. Only the names of the counts differ between OpenAI's APIs."""
    return {
        "model": "model",
        "usage": {
            input_name: "input_tokens",
            f"{input_name}_details": {"cached_tokens": "cached_input_tokens"},
            output_name: "output_tokens",
            f"{output_name}_details": {"reasoning_tokens": "reasoning_tokens"},
        },
    }
