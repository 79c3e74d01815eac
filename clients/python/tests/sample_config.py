"""The config that the service returns in tests."""

from __future__ import annotations

from typing import Any, Dict

EXPERIMENT_ID = "0190a6c2-7b5e-7c3d-9f10-3a5b7c9d1e2f"


def sample_config(version: int = 1, **changes: Any) -> Dict[str, Any]:
    """A config with one experiment, `greeting`, in which everybody gets `short`."""
    experiment = {
        "id": EXPERIMENT_ID,
        "name": "greeting",
        "status": "running",
        "salt": "s1",
        "bucket_count": 1000,
        "buckets": [[1000, 1]],
        "variants": [{"key": "control"}, {"key": "short", "prompt": "Be brief."}],
        **changes,
    }
    return {"config_version": version, "experiments": [experiment]}
