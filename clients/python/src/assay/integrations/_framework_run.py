"""Runs of agents that a framework reports."""

from __future__ import annotations

from typing import Mapping

from .._agent import named
from .._model_call._observe_call import CallScope
from .._model_call._tool_record import track_run_end
from .._user_context import current_context, swap_context


class FrameworkRun:
    """
    A run that starts now. Inside `with_run`, or in another framework's run, it is part of that run and has
    no end of its own. Never raises.
    """

    __slots__ = ("_context", "_run", "_scope")

    def __init__(self, scope: CallScope, id_: object) -> None:
        self._scope = scope
        self._context = context = current_context()
        is_part = context.run or "run_id" in context.place
        self._run: Mapping[str, str] = {} if is_part else {"run_id": str(id_)}

    def place(self, agent_name: object) -> Mapping[str, str]:
        """Returns the place of calls by this agent in this run."""
        return {**self._run, **named(agent_name)}

    def end(self, completed: bool) -> None:
        """Called when the run has ended, in any context."""
        if self._run:
            before = swap_context(self._context)
            track_run_end(self._scope._replace(place=self._run), completed)
            swap_context(before)
