"""The Python client of Assay: local assignment to variants, and events sent in the background."""

from ._assay import Assay
from ._model_call._reading import ModelCallFacts
from ._variant_content import PromptChoice
from ._version import __version__

__all__ = ["Assay", "ModelCallFacts", "PromptChoice", "__version__"]
