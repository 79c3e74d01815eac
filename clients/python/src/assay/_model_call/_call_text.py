"""
The text of prompts and responses. Every client library follows the same rules.

- Texts and refusals are joined unchanged. A recording with a transcript counts as its transcript.
- The model's reasoning is left out.
- A tool call becomes `[tool_call name(arguments as JSON)]`. A tool result becomes its text or JSON.
- Media becomes `[image]`, `[audio]`, `[video]`, `[document]` or `[file]`. Any other part becomes `[type]`.
- Anything but text gets its own line.
- A base64 `data:` URL inside a text is replaced by its type: `[image/png removed]`.
- Messages become `role: text`, separated by blank lines. A single user message that is a plain string stays
  that string.
- At most 64 KiB of UTF-8 are kept, including the mark `…[cut]` at the end of a longer text.

These functions accept any input: nothing raises, and the time is linear in the text and the first 1,000
parts.
"""

from __future__ import annotations

import io
import json
import math
import re
from typing import List, Optional

from ._foreign_value import field_at, text_or_none

MAX_TEXT_BYTES = 65_536
"""The longest text that is kept."""
_CUT_MARK = "…[cut]"
_CUT_MARK_BYTES = 8
_MAX_PARTS = 1_000
_MAX_DEPTH = 100
# Groups inside look-aheads do not backtrack, so no text makes the search slow.
_DATA_URL = re.compile(
    r"data:(?=([\w.+/-]+))\1(?=([\w.+=;-]*))\2(?<=;base64),[\w+/=-]*",
    re.ASCII,
)
_HIDDEN = re.compile(r"thinking|reasoning|^source")
_MEDIA = re.compile(r"image|audio|video|document|file")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NESTED = ("content", "parts", "audio", "tool_calls", "output", "value")
_PLAIN = {"role", "content"}
_GAP = object()


def bound_text(text: str) -> str:
    """
    Returns at most 64 KiB of the text in UTF-8, cut at a character boundary and marked, without its `data:`
    URLs.
    """
    clean = _without_media(text)
    # A character takes 4 bytes at most.
    if len(clean) * 4 <= MAX_TEXT_BYTES:
        return clean
    data = clean[: MAX_TEXT_BYTES + 1].encode("utf-8", "surrogatepass")
    if len(data) <= MAX_TEXT_BYTES:
        return clean
    end = MAX_TEXT_BYTES - _CUT_MARK_BYTES
    while data[end] & 0xC0 == 0x80:
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass") + _CUT_MARK


def append_bounded(text: str, more: str) -> str:
    """Appends as long as `bound_text` would keep any of it."""
    return text + more[: max(0, MAX_TEXT_BYTES + 1 - len(text))]


def content_text(content: object) -> str:
    """Returns the text of a message, of its content or of a part of it, by the rules above."""
    writer = TextWriter()
    writer.read(content)
    return writer.text()


def messages_text(messages: object, system: object = None) -> str:
    """
    Returns the text of messages, by the rules above; `messages` is one or a list, each an object or a string.
    """
    every: List[object] = list(messages) if isinstance(messages, (list, tuple)) else [messages]
    if _is_there(system):
        every.insert(0, {"role": "system", "content": system})
    text = ""
    for message in every:
        content = None if isinstance(message, str) else field_at(message, "content")
        is_string = isinstance(message if content is None else content, str)
        role = None if isinstance(message, str) else field_at(message, "role")
        role = role if role is not None else "user" if is_string else None
        said = content_text(content if _is_plain(message) else message)
        if len(every) == 1 and is_string and role == "user":
            return said
        name = text_or_none(role) if isinstance(role, str) else role
        text = append_bounded(text, ("\n\n" if text else "") + (f"{name}: " if role else "") + said)
        if len(text) > MAX_TEXT_BYTES:
            break
    return text


def _is_plain(message: object) -> bool:
    """Whether a message has only content, as most do: checking for more takes much longer."""
    return type(message) is dict and message.keys() == _PLAIN and isinstance(message["content"], str)


class TextWriter:
    """A text whose content arrives in pieces: as much of it as `bound_text` would keep."""

    __slots__ = ("_buffer", "_gap", "length")

    def __init__(self) -> None:
        self._buffer = io.StringIO()
        self._gap = ""
        self.length = 0

    def text(self) -> str:
        """Returns the text so far."""
        return self._buffer.getvalue()

    def read(self, content: object) -> None:
        """Accepts the next piece. If something raises, such as cyclic arguments, the rest is left out."""
        if isinstance(content, str):
            # By far the most common case.
            self._write(content)
            return
        try:
            self._read_all(content)
        except Exception:
            pass

    def _read_all(self, content: object) -> None:
        # A list of pending parts instead of recursion: no nesting is too deep.
        waiting = [content]
        parts_left = _MAX_PARTS
        while waiting:
            part = waiting.pop()
            if part is _GAP:
                self._gap = "\n"
            elif parts_left > 0:
                parts_left -= 1
                if isinstance(part, str):
                    self._write(part)
                elif isinstance(part, (list, tuple)):
                    waiting.extend(reversed(part[:_MAX_PARTS]))
                elif _is_there(part):
                    self._read_object(part, waiting)

    def _read_object(self, part: object, waiting: List[object]) -> None:
        kind = text_or_none(field_at(part, "type")) or ""
        if _is_there(field_at(part, "thought")) or _HIDDEN.search(kind):
            return
        said = text_or_none(_first(part, "text", "refusal", "transcript"))
        self._write(said or "")
        line = _line_of(part, kind)
        if line is None and said is None and kind:
            line = f"[{kind}]"
        if line:
            self._gap = "\n"
            waiting.extend((_GAP, line))

    def _write(self, more: str) -> None:
        if more == "":
            return
        more = (self._gap if self.length else "") + _without_media(more)
        self._gap = ""
        more = more[: max(0, MAX_TEXT_BYTES + 1 - self.length)]
        self.length += len(more)
        self._buffer.write(more)


def _line_of(part: object, kind: str) -> object:
    """The form of a part that is not text: it gets its own line."""
    line = _tool_call_of(part) or _media_of(part, kind) or _result_of(part, kind)
    if line is not None:
        return line
    nested = [inner for inner in (field_at(part, name) for name in _NESTED) if _is_there(inner)]
    return nested or None


def _tool_call_of(part: object) -> Optional[str]:
    inner = _first(part, "function", "functionCall", "custom")
    call = part if inner is None else inner
    name = _first(call, "name", "toolName")
    args = _first(call, "arguments", "args", "input")
    if args is None and inner is not None:
        args = {}
    return f"[tool_call {name}({to_text(args)})]" if name and args is not None else None


def _media_of(part: object, kind: str) -> Optional[str]:
    source = _first(part, "inlineData", "fileData")
    mime = field_at(source, "mimeType") or field_at(part, "mediaType")
    found = _MEDIA.search(f"{mime or ''} {kind} {'file' if source is not None else ''}")
    return f"[{found.group()}]" if found else None


def _result_of(part: object, kind: str) -> Optional[str]:
    result = field_at(part, "functionResponse", "response")
    if result is None:
        result = field_at(part, "result")
    if result is None and kind != "content":
        result = field_at(part, "value")
    return None if result is None else to_text(result)


def _first(value: object, *names: str) -> object:
    for name in names:
        found = field_at(value, name)
        # An object may have a method with this name.
        if found is not None and not callable(found):
            return found
    return None


def _is_there(value: object) -> bool:
    """An empty list or object counts as present, as in JSON; an empty text does not."""
    return isinstance(value, (list, tuple, dict)) or bool(value)


def to_text(value: object) -> str:
    """Returns a string unchanged, and anything else as JSON; raises when JSON cannot hold it."""
    if isinstance(value, str):
        return str.__str__(value)
    text = json.dumps(_Plain().of(value), ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class _Plain:
    """
    Prepares a value to be written as JavaScript writes it: with one kind of number, and without NaN. A cyclic
    value has no text. Reads only as much of a large value as could be kept.
    """

    def __init__(self) -> None:
        # Each takes a character at least.
        self._values_left = MAX_TEXT_BYTES

    def of(self, value: object, depth: int = 0) -> object:
        self._values_left -= 1
        if self._values_left < 0:
            return None
        if isinstance(value, float):
            if not math.isfinite(value):
                return None
            return int(value) if value.is_integer() and abs(value) < 1e21 else value
        if depth > _MAX_DEPTH:
            # Python 3.8 may not survive a RecursionError.
            raise ValueError
        if isinstance(value, dict):
            return {key: self.of(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(inner, depth + 1) for inner in value[: self._values_left + 1]]
        # An object that a library made from JSON.
        dump = getattr(value, "model_dump", None)
        return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else value


def _without_media(text: str) -> str:
    return _DATA_URL.sub(r"[\1 removed]", text) if "data:" in text else text
