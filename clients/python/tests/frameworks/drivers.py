"""How the cases of the matrix are run, and the providers' own clients under `wrap`."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Any, AsyncIterator, Dict, Iterable, List

import anthropic
import openai
from billing_provider import BillingProvider
from google import genai
from google.genai.types import FunctionDeclaration, Tool
from pydantic import BaseModel

from assay import TestClient

QUESTION = "What is a bucket?"
ASK = {"messages": [{"role": "user", "content": QUESTION}]}
GPT, CLAUDE, GEMINI = "gpt-4o-mini", "claude-haiku-4-5", "gemini-2.5-flash"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = ("weather", "clock")
USERS = [f"user-{index}" for index in range(8)]


class Answer(BaseModel):
    """An answer."""

    answer: str


def release(package: str) -> str:
    """Returns the tested version without its last part, as in the names of the rows."""
    return ".".join(version(package).split(".")[:2])


def drain(stream: Iterable[Any]) -> None:
    """Reads a stream to its end."""
    for _ in stream:
        pass


class Driver:
    """
    Makes the calls of one row. `offers` names the cases that not every framework has. The other cases follow
    from `whole`, `chunks` and `achunks`, to which each adds its own arguments.
    """

    offers: tuple[str, ...] = ("several", "embeddings")
    is_late = False
    """Whether the framework reports in its own threads."""

    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        self.assay = assay
        self.provider = provider

    @staticmethod
    def title() -> str:
        raise NotImplementedError

    def close(self) -> None:
        """Removes the handlers."""

    def whole(self, **more: Any) -> Any:
        raise NotImplementedError

    def chunks(self, **more: Any) -> Iterable[Any]:
        raise NotImplementedError

    def achunks(self) -> AsyncIterator[Any]:
        raise NotImplementedError

    def tools(self, names: tuple[str, ...] = TOOLS[:1]) -> None:
        raise NotImplementedError

    def parallel_tools(self) -> None:
        self.tools(TOOLS)

    def stream(self) -> None:
        drain(self.chunks())

    def early_break(self) -> None:
        def leave() -> None:
            for index, _ in enumerate(self.chunks()):
                if index == 3:
                    break

        leave()

    def abort(self) -> None:
        async def main() -> None:
            task = asyncio.ensure_future(self.read())
            while not self.provider.has_stalled.is_set():
                await asyncio.sleep(0.02)
            # The first text is being sent.
            await asyncio.sleep(0.5)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            del task

        asyncio.run(main())

    def error(self) -> None:
        try:
            self.whole()
        except Exception:
            return
        raise AssertionError("it did not raise")

    def several(self) -> None:
        self.whole(n=2)

    def retries(self) -> None:
        self.whole()

    def reasoning(self) -> None:
        self.whole()
        self.stream()

    def cache(self) -> None:
        self.whole()
        self.stream()

    def nested(self) -> None:
        """A call while a stream is read, and a call below another observer."""
        for index, _ in enumerate(self.chunks()):
            if index == 1:
                self.whole()
        self.assay.intercept_model_call("greeting", "ann", self.whole, lambda _: self.provider.ledger[-1])

    def concurrent(self) -> None:
        """Two calls per user, in threads and in tasks."""

        def ask(user: str) -> None:
            with self.assay.as_user(user):
                self.whole()

        async def read(user: str) -> None:
            async with self.assay.as_user(user):
                await self.read()

        async def read_all() -> None:
            await asyncio.gather(*map(read, USERS))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(ask, USERS))
        asyncio.run(read_all())

    async def read(self) -> None:
        async for _ in self.achunks():
            pass


def openai_tools(names: Iterable[str]) -> List[Dict[str, Any]]:
    return [{"type": "function", "function": {"name": name, "parameters": PARAMETERS}} for name in names]


class OpenAiWrap(Driver):
    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        base = {"api_key": "k", "base_url": f"{provider.url}/v1"}
        self.client = assay.wrap(openai.OpenAI(**base), "greeting")
        self.base = base

    @staticmethod
    def title() -> str:
        return f"openai {release('openai')}"

    def whole(self, **more: Any) -> Any:
        return self.client.chat.completions.create(model=GPT, **ASK, **more)

    def chunks(self, **more: Any) -> Any:
        return self.whole(stream=True, **more)

    async def achunks(self) -> AsyncIterator[Any]:
        client = self.assay.wrap(openai.AsyncOpenAI(**self.base), "greeting")
        async for chunk in await client.chat.completions.create(model=GPT, stream=True, **ASK):
            yield chunk

    def tools(self, names: tuple[str, ...] = TOOLS[:1]) -> None:
        self.whole(tools=openai_tools(names))
        drain(self.chunks(tools=openai_tools(names)))

    def structured(self) -> None:
        self.client.chat.completions.parse(model=GPT, response_format=Answer, **ASK)

    def embeddings(self) -> None:
        self.client.embeddings.create(model="text-embedding-3-small", input=["a text"])


class AnthropicWrap(Driver):
    offers = ()

    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        self.base = {"api_key": "k", "base_url": provider.url}
        self.client = assay.wrap(anthropic.Anthropic(**self.base), "greeting")

    @staticmethod
    def title() -> str:
        return f"anthropic {release('anthropic')}"

    def whole(self, **more: Any) -> Any:
        return self.client.messages.create(model=CLAUDE, max_tokens=99, **ASK, **more)

    def chunks(self, **more: Any) -> Any:
        return self.whole(stream=True, **more)

    async def achunks(self) -> AsyncIterator[Any]:
        client = self.assay.wrap(anthropic.AsyncAnthropic(**self.base), "greeting")
        async with client.messages.stream(model=CLAUDE, max_tokens=99, **ASK) as stream:
            async for event in stream:
                yield event

    def tools(self, names: tuple[str, ...] = TOOLS[:1]) -> None:
        tools = [{"name": name, "input_schema": PARAMETERS} for name in names]
        self.whole(tools=tools)
        drain(self.chunks(tools=tools))

    def structured(self) -> None:
        self.client.messages.parse(model=CLAUDE, max_tokens=99, output_format=Answer, **ASK)


class GoogleWrap(Driver):
    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        options = {"base_url": provider.url, "retry_options": {"attempts": 2, "initial_delay": 0.01}}
        self.client = assay.wrap(genai.Client(api_key="k", http_options=options), "greeting")
        self.input = {"model": GEMINI, "contents": QUESTION}

    @staticmethod
    def title() -> str:
        return f"google-genai {release('google-genai')}"

    def whole(self, **config: Any) -> Any:
        return self.client.models.generate_content(**self.input, config=config)

    def chunks(self, **config: Any) -> Any:
        return self.client.models.generate_content_stream(**self.input, config=config)

    async def achunks(self) -> AsyncIterator[Any]:
        async for chunk in await self.client.aio.models.generate_content_stream(**self.input):
            yield chunk

    def tools(self, names: tuple[str, ...] = TOOLS[:1]) -> None:
        declared = [FunctionDeclaration(name=name, parameters_json_schema=PARAMETERS) for name in names]
        self.whole(tools=[Tool(function_declarations=declared)])
        drain(self.chunks(tools=[Tool(function_declarations=declared)]))

    def structured(self) -> None:
        self.whole(response_mime_type="application/json", response_schema=Answer)

    def several(self) -> None:
        self.whole(candidate_count=2)

    def embeddings(self) -> None:
        self.client.models.embed_content(model="gemini-embedding-001", contents=["a text"])
