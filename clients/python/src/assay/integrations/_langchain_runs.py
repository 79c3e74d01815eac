"""Runs of LangGraph's graphs."""

from __future__ import annotations

from typing import Mapping

from .._agent import named
from .._model_call._foreign_value import field_at
from .._model_call._observe_call import CallScope
from ._framework_call import MANY_PARTS, Open
from ._framework_run import FrameworkRun


class _Root:
    """The outermost chain that LangChain reports to the handler: a graph, or something else."""

    def __init__(self, run: FrameworkRun, id_: object, is_in_graph: bool) -> None:
        self.run = run
        self.id = id_
        self.is_in_graph = is_in_graph
        self.is_graph = False

    def note_inner(self, metadata: object) -> None:
        """Something starts inside it. A graph's nodes have names, which chains inside a node inherit."""
        self.is_graph = self.is_graph or (not self.is_in_graph and _is_in_node(metadata))


class LangchainRuns:
    """Finds the run of a call by the ids of the chains around it. Never raises."""

    def __init__(self, scope: CallScope) -> None:
        self._scope = scope
        self._roots: Open[_Root] = Open(MANY_PARTS)
        """The outermost chain of each chain, by the chain's id."""

    def start(self, id_: object, parent: object, metadata: object) -> None:
        """Called when a chain starts."""
        root = self._roots.get(parent)
        if root is None:
            root = _Root(FrameworkRun(self._scope, id_), id_, _is_in_node(metadata))
        else:
            root.note_inner(metadata)
        self._roots.add(id_, root)

    def end(self, id_: object, completed: bool) -> None:
        """Called when a chain has ended."""
        root = self._roots.pop(id_)
        if root is not None and root.id == id_ and root.is_graph:
            root.run.end(completed)

    def place(self, parent: object, metadata: object) -> Mapping[str, str]:
        """Returns the place where a call or a tool starts."""
        root = self._roots.get(parent)
        agent = field_at(metadata, "lc_agent_name")
        if root is None:
            return named(agent)
        root.note_inner(metadata)
        return root.run.place(agent) if root.is_graph else named(agent)


def _is_in_node(metadata: object) -> bool:
    return field_at(metadata, "langgraph_node") is not None
