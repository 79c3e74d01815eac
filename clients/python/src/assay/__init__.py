"""The Python client of Assay. It assigns variants locally and sends events in the background."""

from ._agent import Agent, ToolCallFacts
from ._assay import Assay
from ._core_client import FlushReport
from ._delivery_steps import Rejection
from ._model_call._reading import ModelCallFacts
from ._test_client import TestClient, create_test_client
from ._variant_content import PromptChoice, VariablesChoice
from ._version import __version__

__all__ = [
    "Agent",
    "Assay",
    "FlushReport",
    "ModelCallFacts",
    "PromptChoice",
    "Rejection",
    "TestClient",
    "ToolCallFacts",
    "VariablesChoice",
    "__version__",
    "create_test_client",
]
