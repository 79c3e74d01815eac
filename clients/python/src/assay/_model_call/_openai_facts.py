"""The facts in answers of OpenAI."""

from __future__ import annotations

from typing import Any, Dict


def openai_facts(input_name: str, output_name: str) -> Dict[str, Any]:
    """Returns the table of facts. Only the names of the counts differ between OpenAI's APIs."""
    return {
        "model": "model",
        "service_tier": "service_tier",
        "usage": {
            input_name: "input_tokens",
            f"{input_name}_details": {
                "cached_tokens": "cached_input_tokens",
                # Reported by OpenRouter.
                "cache_write_tokens": "cache_write_5m_tokens",
                "audio_tokens": "audio_input_tokens",
            },
            output_name: "output_tokens",
            f"{output_name}_details": {
                "reasoning_tokens": "reasoning_tokens",
                "audio_tokens": "audio_output_tokens",
            },
        },
    }
