"""The format for calls of an unknown provider."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from ._anthropic_messages import ANTHROPIC_MESSAGES
from ._google_generate_content import GOOGLE_GENERATE_CONTENT
from ._openai_chat import OPENAI_CHAT
from ._openai_embeddings import OPENAI_EMBEDDINGS
from ._openai_responses import OPENAI_RESPONSES
from ._reading import ModelCallFormat, Reading

Extract = Callable[[Any], Optional[Mapping[str, Any]]]
"""What the caller reads from a result or a chunk."""

_FORMATS = (OPENAI_CHAT, OPENAI_EMBEDDINGS, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GOOGLE_GENERATE_CONTENT)


def result_format(extract: Optional[Extract]) -> ModelCallFormat:
    """
    Makes the format. `extract` reads each result and each chunk; the last value of a field counts. Without
    it, the formats of the known providers are recognized.
    """

    def read(result: object, reading: Reading) -> None:
        if extract is None:
            for known in _FORMATS:
                known.read(result, reading)
        else:
            reading.facts.update(extract(result) or {})

    return ModelCallFormat(None, read, is_extracted=extract is not None)
