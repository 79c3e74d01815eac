"""The frameworks of the matrix."""

from __future__ import annotations

import os
from typing import Any, AsyncIterator

# LiteLLM reads these when it is imported. It would otherwise download prices and headers.
os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOG"] = "CRITICAL"

import litellm
from billing_provider import BillingProvider
from drivers import ASK, CLAUDE, GPT, QUESTION, TOOLS, Answer, Driver, drain, openai_tools, release
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.anthropic import Anthropic as LlamaAnthropic
from llama_index.llms.openai import OpenAI as LlamaOpenAI
from openai import OpenAI

from assay import TestClient
from assay.integrations.langchain import AssayCallbackHandler
from assay.integrations.litellm import AssayLogger
from assay.integrations.llama_index import observe_llama_index

USAGE = {"stream_options": {"include_usage": True}}


def weather(city: str) -> str:
    """The weather in a city."""
    return "sunny"


def clock(city: str) -> str:
    """The time in a city."""
    return "noon"


FUNCTIONS = dict(zip(TOOLS, (weather, clock)))


class LangChain(Driver):
    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        self.base = {
            "api_key": "k",
            "base_url": f"{provider.url}/v1",
            "callbacks": [AssayCallbackHandler(assay, "greeting")],
        }
        self.model: Any = ChatOpenAI(**self.base, model=GPT, stream_usage=True)

    @staticmethod
    def title() -> str:
        return f"LangChain {release('langchain-core')}, OpenAI"

    def whole(self, **more: Any) -> Any:
        return self.model.invoke(QUESTION, **more)

    def chunks(self, **more: Any) -> Any:
        return self.model.stream(QUESTION, **more)

    def achunks(self) -> Any:
        return self.model.astream(QUESTION)

    def tools(self, names: tuple[str, ...] = TOOLS[:1]) -> None:
        model = self.model.bind_tools([tool(FUNCTIONS[name]) for name in names])
        model.invoke(QUESTION)
        drain(model.stream(QUESTION))

    def structured(self) -> None:
        self.model.with_structured_output(Answer).invoke(QUESTION)

    def embeddings(self) -> None:
        openai = self.assay.wrap(OpenAI(api_key="k", base_url=self.base["base_url"]), "greeting")
        model = OpenAIEmbeddings(client=openai.embeddings, api_key="k", check_embedding_ctx_length=False)
        model.embed_documents(["a text"])


class LangChainAnthropic(LangChain):
    offers = ()

    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        self.model = ChatAnthropic(**{**self.base, "base_url": provider.url}, model=CLAUDE)

    @staticmethod
    def title() -> str:
        return f"LangChain {release('langchain-core')}, Anthropic"


class LlamaIndex(Driver):
    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        self.close = observe_llama_index(assay, "greeting")  # type: ignore[method-assign]
        self.base = {"api_key": "k", "api_base": f"{provider.url}/v1"}
        self.model: Any = LlamaOpenAI(**self.base, model=GPT)
        self.input = [ChatMessage(role="user", content=QUESTION)]
        self.usage: Any = USAGE

    @staticmethod
    def title() -> str:
        return f"LlamaIndex {release('llama-index-core')}, OpenAI"

    def whole(self, **more: Any) -> Any:
        return self.model.chat(self.input, **more)

    def chunks(self, **more: Any) -> Any:
        return self.model.stream_chat(self.input, **self.usage, **more)

    async def achunks(self) -> AsyncIterator[Any]:
        async for chunk in await self.model.astream_chat(self.input, **self.usage):
            yield chunk

    def tools(self, names: tuple[str, ...] = TOOLS[:1]) -> None:
        tools = [FunctionTool.from_defaults(FUNCTIONS[name]) for name in names]
        self.model.chat_with_tools(tools, user_msg=QUESTION)
        drain(self.model.stream_chat_with_tools(tools, user_msg=QUESTION, **self.usage))

    def structured(self) -> None:
        self.model.as_structured_llm(Answer).chat(self.input)

    def embeddings(self) -> None:
        assay = self.assay

        class Embedding(OpenAIEmbedding):
            def _get_client(self) -> OpenAI:
                return assay.wrap(super()._get_client(), "greeting")

        Embedding(**self.base).get_text_embedding("a text")


class LlamaIndexAnthropic(LlamaIndex):
    offers = ()

    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        self.model = LlamaAnthropic(model=CLAUDE, api_key="k", base_url=provider.url)
        self.usage = {}

    @staticmethod
    def title() -> str:
        return f"LlamaIndex {release('llama-index-core')}, Anthropic"

    def stream(self) -> None:
        super().stream()
        drain(self.model.stream_complete(QUESTION))


class LiteLlm(Driver):
    is_late = True

    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        litellm.callbacks = [AssayLogger(assay, "greeting")]
        litellm.suppress_debug_info = True
        self.input = {**ASK, "model": f"openai/{GPT}", "api_base": f"{provider.url}/v1", "api_key": "k"}
        self.usage: Any = USAGE

    @staticmethod
    def title() -> str:
        return f"LiteLLM {release('litellm')}, OpenAI"

    def close(self) -> None:
        for name in ("callbacks", "input_callback", "success_callback", "failure_callback"):
            setattr(litellm, name, [])
        litellm._async_success_callback = []
        litellm._async_failure_callback = []

    def whole(self, **more: Any) -> Any:
        return litellm.completion(**self.input, **more)

    def chunks(self, **more: Any) -> Any:
        return self.whole(stream=True, **self.usage, **more)

    async def achunks(self) -> AsyncIterator[Any]:
        async for chunk in await litellm.acompletion(**self.input, stream=True, **self.usage):
            yield chunk

    def tools(self, names: tuple[str, ...] = TOOLS[:1]) -> None:
        self.whole(tools=openai_tools(names))
        drain(self.chunks(tools=openai_tools(names)))

    def structured(self) -> None:
        self.whole(response_format=Answer)

    def retries(self) -> None:
        self.whole(max_retries=0, num_retries=2)

    def embeddings(self) -> None:
        litellm.embedding(
            model="openai/text-embedding-3-small",
            input=["a text"],
            api_base=self.input["api_base"],
            api_key="k",
        )


class LiteLlmAnthropic(LiteLlm):
    offers = ()

    def __init__(self, assay: TestClient, provider: BillingProvider) -> None:
        super().__init__(assay, provider)
        self.input = {**self.input, "model": f"anthropic/{CLAUDE}", "api_base": provider.url}
        self.usage = {}

    @staticmethod
    def title() -> str:
        return f"LiteLLM {release('litellm')}, Anthropic"
