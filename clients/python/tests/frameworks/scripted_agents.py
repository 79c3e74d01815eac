"""The same agent in several frameworks: it calls a tool that works, then one that fails, then it answers."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Dict, Optional

import openai
from agents import Agent as OpenAiAgent
from agents import ModelSettings, OpenAIChatCompletionsModel, Runner, function_tool, set_trace_processors
from drivers import GPT, QUESTION
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from assay import TestClient
from assay.integrations.langchain import AssayCallbackHandler
from assay.integrations.openai_agents import AssayTracingProcessor
from assay.integrations.pydantic_ai import AssayCapability


class Broken(Exception):
    pass


def weather(city: str) -> str:
    """The weather in a city."""
    return "sunny"


def clock(city: str) -> str:
    """The time in a city."""
    raise Broken("out of order")


# Runs the agent once, on this provider; `client`: an asynchronous one that its framework is to use.
Run = Callable[[TestClient, str, Optional[Any]], None]


def client_of(url: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0)


@wrap_tool_call
def _answer_errors(request: Any, handler: Any) -> Any:
    try:
        return handler(request)
    except Broken as error:
        return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")


def langgraph(assay: TestClient, url: str, client: Optional[Any] = None) -> None:
    graph = create_agent(
        ChatOpenAI(api_key="k", base_url=f"{url}/v1", model=GPT, max_retries=0),
        [tool(weather), tool(clock)],
        middleware=[_answer_errors],
        name="support",
    )
    handler = AssayCallbackHandler(assay, "greeting")
    graph.invoke({"messages": [("user", QUESTION)]}, {"callbacks": [handler]})


def langgraph_later(assay: TestClient, url: str, client: Optional[Any] = None) -> None:
    """The same without waiting, and as a stream."""

    @wrap_tool_call
    async def answer_errors(request: Any, handler: Any) -> Any:
        try:
            return await handler(request)
        except Broken as error:
            return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")

    graph = create_agent(
        ChatOpenAI(api_key="k", base_url=f"{url}/v1", model=GPT, max_retries=0, stream_usage=True),
        [tool(weather), tool(clock)],
        middleware=[answer_errors],
        name="support",
    )
    handler = AssayCallbackHandler(assay, "greeting")

    async def main() -> None:
        messages = {"messages": [("user", QUESTION)]}
        async for _ in graph.astream(messages, {"callbacks": [handler]}, stream_mode="messages"):
            pass

    asyncio.run(main())


def _openai_agent(url: str, client: Optional[Any], **more: Any) -> OpenAiAgent[Any]:
    model = OpenAIChatCompletionsModel(GPT, client or client_of(url))
    tools = [function_tool(weather), function_tool(clock)]
    return OpenAiAgent(name="support", model=model, tools=tools, **more)  # type: ignore[arg-type]


def openai_agents(assay: TestClient, url: str, client: Optional[Any] = None, **more: Any) -> None:
    set_trace_processors([AssayTracingProcessor(assay, "greeting")])
    try:
        Runner.run_sync(_openai_agent(url, client, **more), QUESTION)
    finally:
        set_trace_processors([])


def openai_agents_stream(assay: TestClient, url: str, client: Optional[Any] = None) -> None:
    set_trace_processors([AssayTracingProcessor(assay, "greeting")])

    async def main() -> None:
        agent = _openai_agent(url, client, model_settings=ModelSettings(include_usage=True))
        async for _ in Runner.run_streamed(agent, QUESTION).stream_events():
            pass

    try:
        asyncio.run(main())
    finally:
        set_trace_processors([])


def handing_over(assay: TestClient, url: str) -> None:
    writer = OpenAiAgent(name="writer", model=OpenAIChatCompletionsModel(GPT, client_of(url)))
    openai_agents(assay, url, handoffs=[writer])


def _retried(city: str) -> str:
    """The time in a city."""
    raise ModelRetry("out of order")


_retried.__name__ = "clock"


def _pydantic_agent(assay: TestClient, url: str, client: Optional[Any]) -> PydanticAgent[Any, str]:
    provider = OpenAIProvider(openai_client=client or client_of(url))
    return PydanticAgent(
        OpenAIChatModel(GPT, provider=provider),
        name="support",
        tools=[weather, _retried],
        capabilities=[AssayCapability(assay, "greeting")],
    )


def pydantic_ai(assay: TestClient, url: str, client: Optional[Any] = None) -> None:
    _pydantic_agent(assay, url, client).run_sync(QUESTION)


def pydantic_ai_stream(assay: TestClient, url: str, client: Optional[Any] = None) -> None:
    agent = _pydantic_agent(assay, url, client)

    async def main() -> None:
        async with agent.run_stream_events(QUESTION) as events:
            async for _ in events:
                pass

    asyncio.run(main())


RUNS: Dict[str, Run] = {
    "LangGraph": langgraph,
    "LangGraph, asynchronous stream": langgraph_later,
    "OpenAI Agents": openai_agents,
    "OpenAI Agents, stream": openai_agents_stream,
    "Pydantic AI": pydantic_ai,
    "Pydantic AI, stream": pydantic_ai_stream,
}
