"""The client's options, checked and with defaults."""

from __future__ import annotations

import logging
import os
import time
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Tuple

from ._client_log import ClientLog
from ._epoch_ms import epoch_ms_of
from ._service_clock import ServiceClock
from ._uuidv7 import uuidv7

PRODUCTION_URL = "https://api.assay.dev"
# The longest wait of the client. Some platforms refuse waits of weeks.
LONGEST_WAIT = 86_400.0

Mask = Callable[[str, str], Optional[str]]


class Settings(NamedTuple):
    """The settings that the parts of a client share. Times are in seconds."""

    api_key: str
    base_url: str
    """Without a slash at the end."""
    experiments: Tuple[str, ...]
    track_exposures: bool
    flush_interval: float
    poll_interval: float
    long_poll: bool
    bootstrap: object
    overrides: Mapping[str, str]
    offline: bool
    offline_store: Optional[str]
    durable: bool
    flush_on_sigterm: bool
    mask: Optional[Mask]
    log: ClientLog
    now: Callable[[], float]
    """Epoch seconds. For the time of events, not for waits."""
    clock: Optional[ServiceClock]
    """What `now` reads; None when the caller gave a clock."""
    new_id: Callable[[], str]


def seconds_or(value: object, default: float) -> float:
    """Returns a number of seconds of at most a day, or the default for any other value."""
    try:
        # Comparisons with NaN are false.
        if isinstance(value, (int, float)) and value >= 0:
            return float(min(value, LONGEST_WAIT))
    except Exception:
        # The value is the caller's object and may raise when used.
        pass
    return default


def resolve_options(options: Dict[str, Any], unknown: Dict[str, Any]) -> Settings:
    """
    Fills in the defaults of the options (those of `CoreClient`, by name). Raises ValueError when there is no
    API key and the client is not offline. An invalid option is logged as a warning and ignored.
    """
    logger = options["logger"]
    log = ClientLog(logging.getLogger("assay") if logger is None else logger, time.monotonic)
    for name in unknown:
        log.once("warning", f"unknown option: {name}")

    def checked(name: str, parse: Callable[[Any], Any], default: Any) -> Any:
        given = options[name]
        if given is None:
            return default
        try:
            return parse(given)
        except Exception:
            log.once("warning", f"invalid option ignored: {name}")
            return default

    api_key = checked("api_key", _text, "") or os.environ.get("ASSAY_API_KEY", "").strip()
    offline = checked("offline", _flag, False)
    if not api_key and not offline:
        raise ValueError("Assay needs an API key: pass api_key or set ASSAY_API_KEY.")
    base_url = checked("base_url", _text, "") or os.environ.get("ASSAY_BASE_URL", "").strip()
    if not base_url:
        base_url = PRODUCTION_URL
        if not offline:
            log.once("warning", f"neither base_url nor ASSAY_BASE_URL is set: using {base_url}")
    given_now = checked("now", _function, None)
    clock = ServiceClock(log) if given_now is None else None
    now = given_now if clock is None else clock.now
    return Settings(
        api_key=api_key,
        base_url=base_url.rstrip("/"),
        experiments=checked("experiments", _names, ()),
        track_exposures=checked("track_exposures", _flag, True),
        flush_interval=checked("flush_interval", _interval, 5.0),
        poll_interval=checked("poll_interval", _interval, 60.0),
        long_poll=checked("long_poll", _flag, False),
        bootstrap=options["bootstrap"],
        overrides=checked("overrides", _texts, {}),
        offline=offline,
        offline_store=checked("offline_store", _folder, None),
        durable=checked("durable", _flag, False),
        flush_on_sigterm=checked("flush_on_sigterm", _flag, False),
        # Not checked: a mask that is not callable withholds all texts.
        mask=options["mask"],
        log=log,
        now=now,
        clock=clock,
        new_id=checked("new_id", _function, lambda: uuidv7(epoch_ms_of(now()))),
    )


def _text(value: Any) -> str:
    # A newline after a key from a file would end the header.
    return str.strip(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _interval(value: Any) -> float:
    seconds = seconds_or(value, 0.0)
    if seconds == 0:
        raise ValueError
    return seconds


def _function(value: Any) -> Any:
    if not callable(value):
        raise TypeError
    return value


def _names(value: Any) -> Tuple[str, ...]:
    # A plain string is a likely mistake.
    names = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return names


def _texts(value: Any) -> Dict[str, str]:
    texts = dict(value)
    if not all(isinstance(text, str) for text in (*texts, *texts.values())):
        raise TypeError
    return texts


def _folder(value: Any) -> str:
    # A plain string, whatever a subclass of it does.
    return str.__str__(os.fsdecode(os.fspath(value)))
