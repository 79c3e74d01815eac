"""Who a provider's object calls."""

from __future__ import annotations

from typing import Optional
from urllib.parse import urlsplit

from ._foreign_value import field_at

PROVIDERS = (
    (".openai.com", "openai", ""),
    (".openai.azure.com", "azure", ""),
    (".cognitiveservices.azure.com", "azure", ""),
    (".services.ai.azure.com", "azure", ""),
    (".anthropic.com", "anthropic", ""),
    (".openrouter.ai", "openrouter", ""),
    ("aiplatform.googleapis.com", "vertex", ""),
    (".googleapis.com", "google", ""),
    (".amazonaws.com", "bedrock", ".bedrock"),
    (".groq.com", "groq", ""),
    (".together.xyz", "together", ""),
    (".together.ai", "together", ""),
    (".mistral.ai", "mistral", ""),
    (".deepseek.com", "deepseek", ""),
    (".x.ai", "xai", ""),
    (".fireworks.ai", "fireworks", ""),
    (".cerebras.ai", "cerebras", ""),
    (".perplexity.ai", "perplexity", ""),
    (".localhost", "localhost", ""),
    (".127.0.0.1", "localhost", ""),
)
"""The end of a host, who is called there, and the host's start; `vectors/providers.json` has it too."""


def provider_at(base_url: str) -> Optional[str]:
    """Names who is called at a base URL: by the table, or else its host; None without a host."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname if parts.scheme else None
    except ValueError:
        return None
    if not host:
        return None
    dotted = f".{host}"
    for ends, provider, starts in PROVIDERS:
        if dotted.endswith(ends) and dotted.startswith(starts):
            return provider
    return host


def provider_of(provider: object) -> Optional[str]:
    """Names whom a provider's object calls; None when it does not tell."""
    # The libraries' own type of URL is no string.
    url = field_at(provider, "base_url")
    if url is None:
        url = field_at(provider, "_api_client", "_http_options", "base_url")
    try:
        return None if url is None else provider_at(str(url))
    except Exception:
        return None
