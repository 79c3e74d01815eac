"""A callback for LiteLLM. Needs `litellm`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, Optional

from litellm.integrations.custom_logger import CustomLogger

from ._framework_call import framework_scope
from ._litellm_call import LiteLlmCall, begin_call, running_call

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._assay import Assay
    from ._framework_call import CallOptions


class AssayLogger(CustomLogger):
    """
    Records an exposure and a `model_call` for each call of LiteLLM. The options are those of `Assay.wrap`. A
    call with retries counts once. An answer from LiteLLM's cache does not count as a call. Never raises.
    """

    def __init__(self, assay: Assay, experiment: str, **options: Unpack[CallOptions]) -> None:
        super().__init__()
        self._scope = framework_scope(assay, experiment, self, **options)

    def log_pre_api_call(self, model: Any, messages: Any, kwargs: Dict[str, Any]) -> None:
        """Called when a call starts or is retried. Runs in the caller's context, where the user is known."""
        begin_call(self._scope, kwargs, messages, id(self))

    def log_stream_event(
        self, kwargs: Dict[str, Any], response_obj: Any, start_time: datetime, end_time: datetime
    ) -> None:
        """Called when a chunk of a stream has arrived."""
        call = self._call(kwargs)
        if call:
            call.take_chunk(response_obj)

    def log_success_event(
        self, kwargs: Dict[str, Any], response_obj: Any, start_time: datetime, end_time: datetime
    ) -> None:
        """Called when a call has ended."""
        call = self._call(kwargs)
        if call:
            call.end(response_obj, kwargs, end_time)

    def log_failure_event(
        self, kwargs: Dict[str, Any], response_obj: Any, start_time: datetime, end_time: datetime
    ) -> None:
        """Called when a call has failed, after its retries."""
        call = self._call(kwargs)
        if call:
            call.fail(kwargs.get("exception"))

    async def async_log_success_event(
        self, kwargs: Dict[str, Any], response_obj: Any, start_time: datetime, end_time: datetime
    ) -> None:
        """Like `log_success_event`."""
        self.log_success_event(kwargs, response_obj, start_time, end_time)

    async def async_log_failure_event(
        self, kwargs: Dict[str, Any], response_obj: Any, start_time: datetime, end_time: datetime
    ) -> None:
        """Like `log_failure_event`."""
        self.log_failure_event(kwargs, response_obj, start_time, end_time)

    def _call(self, kwargs: Dict[str, Any]) -> Optional[LiteLlmCall]:
        return running_call(kwargs, id(self))
