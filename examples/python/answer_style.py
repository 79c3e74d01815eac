"""Runs the experiment of `npm run demo` as a Python application would: see examples/README.md.

For each of 805 users it requests the variant's prompt and makes one model call. The calls are replayed:
prompt-variants.json has the length of each answer that gpt-3.5-turbo gave under each prompt.
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
    # Each model call records an exposure; `get_prompt` would record a second one.
    with Assay(experiments=[EXPERIMENT], track_exposures=False) as assay:
        if not assay.wait_ready():
            print(f"No experiment {EXPERIMENT} at ASSAY_BASE_URL: see examples/README.md.", file=sys.stderr)
            return 1
        for number, (figures, asked) in enumerate(zip(data["items"], data["question_characters"])):
            serve(assay, f"user-{number:03}", dict(zip(data["variants"], figures)), asked)
        is_delivered = assay.flush(60)
    print(f"{len(data['items'])} users served; everything delivered: {'yes' if is_delivered else 'no'}.")
    return 0 if is_delivered else 1


def serve(assay: Assay, user: str, recorded: dict[str, list[float]], asked: int) -> None:
    """
    Answers one user's question of `asked` characters; `recorded` has the answer's figures under each variant.
    """
    variant, prompt, _ = assay.get_prompt(EXPERIMENT, user, "You are a helpful assistant.")
    characters, tokens, _ = recorded[variant or "base"]
    input_tokens = -(-(len(prompt) + asked) // 4)

    def ask_model() -> dict[str, object]:
        usage = {"input_tokens": input_tokens, "output_tokens": tokens}
        return {"prompt": prompt, "model": "gpt-3.5-turbo-1106", **usage}

    assay.intercept_model_call(EXPERIMENT, user, ask_model, extract=lambda answer: answer)
    outcome = {"experiment_id": EXPERIMENT, "user_id": user}
    assay.track("business_event", {**outcome, "business_metric": "answer_characters", "value": characters})


if __name__ == "__main__":
    sys.exit(main())
