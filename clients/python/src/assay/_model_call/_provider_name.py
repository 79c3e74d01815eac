"""The provider that a library's object calls."""

from __future__ import annotations

import re
from typing import Optional

from ._foreign_value import field_at

HOSTS = {
    "azure": re.compile(r"^.*\.azure\.com$"),
    "vertex": re.compile(r"^.*aiplatform\.googleapis\.com$"),
    "google": re.compile(r"^.*\.googleapis\.com$"),
    "bedrock": re.compile(r"^bedrock.*\.amazonaws\.com$"),
    "openrouter": re.compile(r"^openrouter\.ai$"),
    "xai": re.compile(r"^api\.x\.ai$"),
    "localhost": re.compile(r"^127\.0\.0\.1$"),
    r"\1": re.compile(r"^(?:.*\.)?api\.([^.]+)\.[^.]+$"),
}
"""Providers by host, as in `vectors/providers.json`: each provider replaces its hosts."""

_URL = re.compile(r"\w+://([^/?#]*@)?(\[.*\]|[^/?#:]+)")


def provider_at(base_url: str) -> Optional[str]:
    """Returns the provider behind a base URL: from the table, otherwise its host; None without a host."""
    found = _URL.match(base_url.lower())
    if found is None:
        return None
    name = found.group(2)
    for provider, hosts in HOSTS.items():
        name = hosts.sub(provider, name)
    return name


def provider_of(provider: object) -> Optional[str]:
    """Returns the provider that a library's object calls; None when unknown."""
    # The libraries' own URL type is not a str.
    url = field_at(provider, "base_url")
    if url is None:
        url = field_at(provider, "_api_client", "_http_options", "base_url")
    try:
        return None if url is None else provider_at(str(url))
    except Exception:
        return None
