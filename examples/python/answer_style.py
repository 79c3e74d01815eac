"""Runs the experiment of `npm run demo` as an application in Python would: see examples/README.md.

For each of 805 users it asks for the variant's prompt and makes one model call. The calls are replayed: what
gpt-3.5-turbo answered under each prompt, and what a judge thought of it, lies in prompt-variants.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from assay import Assay

EXPERIMENT = "answer-style"
DATA = Path(__file__).parents[2] / "apps/server/src/demo/prompt-variants.json"


def main() -> int:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    # Each model call records an exposure; those of `get_prompt` would be a second one.
    with Assay(experiments=[EXPERIMENT], track_exposures=False) as assay:
        if not assay.wait_ready():
            print(f"No experiment {EXPERIMENT} at ASSAY_BASE_URL: see examples/README.md.", file=sys.stderr)
            return 1
        for number, figures in enumerate(data["items"]):
            serve(assay, f"user-{number:03}", dict(zip(data["variants"], figures)))
        is_delivered = assay.flush(60)
    print(f"{len(data['items'])} users served; everything delivered: {'yes' if is_delivered else 'no'}.")
    return 0 if is_delivered else 1


def serve(assay: Assay, user: str, recorded: dict[str, list[float]]) -> None:
    """Answers one user's question; `recorded` has the figures of the answer under each variant."""
    variant, prompt, _ = assay.get_prompt(EXPERIMENT, user, "You are a helpful assistant.")
    characters, tokens, preference = recorded[variant or "base"]

    def ask_model() -> dict[str, object]:
        return {"prompt": prompt, "model": "gpt-3.5-turbo-1106", "output_tokens": tokens}

    assay.intercept_model_call(EXPERIMENT, user, ask_model, extract=lambda answer: answer)
    outcome = {"experiment_id": EXPERIMENT, "user_id": user}
    assay.track("business_event", {**outcome, "business_metric": "answer_characters", "value": characters})
    assay.track("business_event", {**outcome, "business_metric": "judge_preference", "value": preference})


if __name__ == "__main__":
    sys.exit(main())
