"""What the frameworks' handlers record besides the cases of the matrix."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable, Dict, Iterator, List

import litellm
import openai
import pytest
from billing_provider import TEXT, BillingProvider
from drivers import ASK, CLAUDE, GPT, QUESTION, Answer, drain
from framework_drivers import USAGE, LiteLlm, weather
from langchain.agents import create_agent
from langchain_core.caches import InMemoryCache
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.rate_limiters import InMemoryRateLimiter
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAI
from litellm.integrations.custom_logger import CustomLogger
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.llms.anthropic import Anthropic as LlamaAnthropic
from llama_index.llms.openai import OpenAI as LlamaOpenAI

from assay import TestClient, create_test_client
from assay.integrations.langchain import AssayCallbackHandler
from assay.integrations.litellm import AssayLogger
from assay.integrations.llama_index import observe_llama_index

MESSAGES = [ChatMessage(role="user", content=QUESTION)]


@pytest.fixture(scope="module")
def provider() -> Iterator[BillingProvider]:
    made = BillingProvider()
    yield made
    made.stop()


@pytest.fixture
def assay() -> TestClient:
    return create_test_client({"greeting": "short", "nobody": None})


def wrapped(assay: TestClient, provider: BillingProvider) -> Any:
    return assay.wrap(openai.OpenAI(api_key="k", base_url=f"{provider.url}/v1"), "greeting")


def of_type(event_type: str, assay: TestClient) -> List[Dict[str, Any]]:
    return [event for event in assay.events if event["type"] == event_type]


def recorded(assay: TestClient, count: int) -> List[Dict[str, Any]]:
    """Returns the calls. LiteLLM reports them later, in its own threads."""
    deadline = time.monotonic() + 20
    while len(of_type("model_call", assay)) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    return of_type("model_call", assay)


def langchain_on(client: Any, assay: TestClient) -> Callable[[], None]:
    handler = AssayCallbackHandler(assay, "greeting")
    model = ChatOpenAI(
        api_key="k", model=GPT, client=client.chat.completions, root_client=client, stream_usage=True
    )

    def run() -> None:
        # Another handler is notified of the same runs.
        model.invoke(QUESTION, config={"callbacks": [handler, AssayCallbackHandler(assay, "greeting")]})
        model.batch([QUESTION] * 3, config={"callbacks": [handler]})
        drain(model.stream(QUESTION, config={"callbacks": [handler]}))

    return run


def llama_index_on(client: Any, assay: TestClient) -> Callable[[], None]:
    model = LlamaOpenAI(model=GPT, api_key="k", openai_client=client)

    def run() -> None:
        end = observe_llama_index(assay, "greeting")
        for _ in range(4):
            model.chat(MESSAGES)
        drain(model.stream_chat(MESSAGES))
        end()

    return run


@pytest.mark.parametrize("make", [langchain_on, llama_index_on])
def test_a_call_on_a_wrapped_client_counts_once(
    make: Any, assay: TestClient, provider: BillingProvider
) -> None:
    provider.reset()
    client = wrapped(assay, provider)
    with assay.as_user("ann"):
        make(client, assay)()
        client.chat.completions.create(model=GPT, **ASK)
    for recorded in (of_type("model_call", assay), of_type("exposure", assay)):
        assert [event["user_id"] for event in recorded] == ["ann"] * len(provider.ledger)
    assert len(provider.ledger) == 6
    tokens = sorted(call["input_tokens"] for call in of_type("model_call", assay))
    assert tokens == sorted(bill["input_tokens"] for bill in provider.ledger)


def complete_by_chat(assay: TestClient, url: str) -> None:
    LlamaAnthropic(model=CLAUDE, api_key="k", base_url=url).complete(QUESTION)


def stream_an_object(assay: TestClient, url: str) -> None:
    model = LlamaOpenAI(model=GPT, api_key="k", api_base=f"{url}/v1", additional_kwargs=USAGE)
    drain(model.as_structured_llm(Answer).stream_chat(MESSAGES))


@pytest.mark.parametrize("ask", [complete_by_chat, stream_an_object])
def test_a_call_that_llama_index_reports_twice_counts_once(
    ask: Any, assay: TestClient, provider: BillingProvider
) -> None:
    provider.reset()
    end = observe_llama_index(assay, "greeting")
    with assay.as_user("ann"):
        ask(assay, provider.url)
    end()
    (call,), (_,) = of_type("model_call", assay), of_type("exposure", assay)
    (bill,) = provider.ledger
    assert {name: call.get(name) for name in bill} == bill


def test_an_object_of_llama_index_and_anthropic_has_the_tokens_of_a_wrapped_client(
    assay: TestClient, provider: BillingProvider
) -> None:
    provider.reset()
    llm = LlamaAnthropic(model=CLAUDE, api_key="k", base_url=provider.url)
    llm._client = assay.wrap(llm._client, "greeting")
    end = observe_llama_index(assay, "greeting")
    with assay.as_user("ann"):
        llm.as_structured_llm(Answer).chat(MESSAGES)
    end()
    (call,), (_,) = of_type("model_call", assay), of_type("exposure", assay)
    (bill,) = provider.ledger
    assert {name: call.get(name) for name in bill} == bill


def test_a_canceled_call_of_langchain_does_not_hide_the_next_one(
    assay: TestClient, provider: BillingProvider
) -> None:
    provider.reset()
    waits = InMemoryRateLimiter(requests_per_second=0.001)
    handler = AssayCallbackHandler(assay, "greeting")
    model = GenericFakeChatModel(messages=iter([]), rate_limiter=waits, callbacks=[handler])
    client = wrapped(assay, provider)

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(model.ainvoke(QUESTION), 0.05)
        client.chat.completions.create(model=GPT, **ASK)

    with assay.as_user("ann"):
        asyncio.run(main())
    (call,) = of_type("model_call", assay)
    assert call["response"] == "".join(TEXT)


def test_an_agent_asks_its_model_until_it_answers(assay: TestClient, provider: BillingProvider) -> None:
    provider.reset()
    model = ChatOpenAI(api_key="k", model=GPT, base_url=f"{provider.url}/v1")
    agent = create_agent(model, [tool(weather)])
    with assay.as_user("ann"):
        handler = AssayCallbackHandler(assay, "greeting")
        asyncio.run(agent.ainvoke(ASK, config={"callbacks": [handler]}))
    called, answered = of_type("model_call", assay)
    assert (called["user_id"], called["finish_reason"]) == ("ann", "tool_calls")
    assert called["response"] == '[tool_call weather({"city":"yes"})]'
    assert (answered["user_id"], answered["finish_reason"], answered["response"]) == (
        "ann",
        "stop",
        "".join(TEXT),
    )
    assert called["response"] in answered["prompt"] and "sunny" in answered["prompt"]


def test_answers_from_a_cache_are_no_calls(assay: TestClient, provider: BillingProvider) -> None:
    provider.reset()
    model = ChatOpenAI(
        api_key="k",
        model=GPT,
        base_url=f"{provider.url}/v1",
        cache=InMemoryCache(),
        callbacks=[AssayCallbackHandler(assay, "greeting", user="ann")],
    )
    model.invoke(QUESTION)
    model.invoke(QUESTION)
    assert len(provider.ledger) == len(of_type("model_call", assay)) == 1


def test_an_input_that_nobody_counted_is_unknown(assay: TestClient) -> None:
    for counted, output in ((0, 7), (5, 7), (0, 0)):
        details = {"cache_read": 0, "cache_creation": 0}
        usage = {
            "input_tokens": counted,
            "output_tokens": output,
            "total_tokens": counted + output,
            "input_token_details": details,
        }
        answers = iter([AIMessage("Hi", usage_metadata=usage)])
        handler = AssayCallbackHandler(assay, "greeting", user="ann")
        GenericFakeChatModel(messages=answers, callbacks=[handler]).invoke("Say hello")
    calls = [event for event in assay.events if event["type"] == "model_call"]
    tokens = [{name: told for name, told in call.items() if name.endswith("_tokens")} for call in calls]
    known = {"input_tokens": 5, "cached_input_tokens": 0, "cache_write_5m_tokens": 0, "output_tokens": 7}
    assert tokens == [{"output_tokens": 7}, known, {}]


def test_the_options_of_a_handler_are_those_of_wrap(assay: TestClient) -> None:
    handler = AssayCallbackHandler(
        assay, "greeting", user="ann", conversation_id="c1", trace_id="t1", metadata={"team": "search"}
    )
    model = GenericFakeChatModel(messages=iter([AIMessage("Yes."), AIMessage("No.")]))
    model.invoke(QUESTION, config={"callbacks": [handler]})
    # Without a variant, and without a user.
    for each in (AssayCallbackHandler(assay, "nobody", user="ann"), AssayCallbackHandler(assay, "greeting")):
        GenericFakeChatModel(messages=iter([AIMessage("No.")])).invoke(QUESTION, config={"callbacks": [each]})
    (call,) = of_type("model_call", assay)
    assert call["metadata"] == {"conversation_id": "c1", "trace_id": "t1", "team": "search"}
    assert (call["user_id"], call["prompt"], call["response"]) == ("ann", QUESTION, "Yes.")


@pytest.mark.parametrize("kind", ["langchain", "litellm"])
def test_completions_of_text_are_calls(kind: str, assay: TestClient, provider: BillingProvider) -> None:
    provider.reset()
    base = {"api_key": "k", "model": "gpt-3.5-turbo-instruct"}
    driver = LiteLlm(assay, provider)
    with assay.as_user("ann"):
        if kind == "langchain":
            model = OpenAI(**base, base_url=f"{provider.url}/v1")
            model.invoke(QUESTION, config={"callbacks": [AssayCallbackHandler(assay, "greeting")]})
        else:
            base["model"] = f"text-completion-openai/{base['model']}"
            litellm.text_completion(**base, prompt=QUESTION, api_base=f"{provider.url}/v1")
    (call,) = recorded(assay, 1)
    driver.close()
    (bill,) = provider.ledger
    expected = {**bill, "prompt": QUESTION, "response": "".join(TEXT), "finish_reason": "stop"}
    assert {name: call[name] for name in expected} == expected


def test_llama_index_is_observed_until_the_end_and_by_the_text_alone_if_need_be(assay: TestClient) -> None:
    end = observe_llama_index(assay, "greeting", user="ann")
    model = MockLLM()
    model.complete("One two")
    first, second = model.stream_complete("One two"), model.stream_complete("Three four")
    drain(second)
    drain(first)
    cut = model.stream_complete("Five six")
    for _ in range(4):
        next(cut)
    cut.close()
    end()
    model.complete("Seven")
    calls = of_type("model_call", assay)
    assert [call["response"] for call in calls] == ["One two", "Three four", "One two", "Five"]
    assert [call["prompt"] for call in calls] == ["One two", "Three four", "One two", "Five six"]
    assert (calls[3]["output_tokens"], calls[3]["usage_estimated"]) == (1, True)
    assert len(of_type("exposure", assay)) == 4


class StatedCosts(CustomLogger):
    """Keeps what LiteLLM states of each call's cost."""

    def __init__(self) -> None:
        super().__init__()
        self.costs: List[Any] = []

    def log_success_event(
        self, kwargs: Dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        self.costs.append(kwargs["response_cost"])


def test_litellm_response_cost_is_the_cost_of_the_call(assay: TestClient, provider: BillingProvider) -> None:
    """No price list has this price: only LiteLLM knows it."""
    provider.reset()
    driver = LiteLlm(assay, provider)
    stated = StatedCosts()
    litellm.callbacks = [stated, AssayLogger(assay, "greeting", user="ann")]
    driver.whole(input_cost_per_token=0.5, output_cost_per_token=0.25)
    [call] = recorded(assay, 1)
    driver.close()
    assert call["cost_usd"] == pytest.approx(0.5 * call["input_tokens"] + 0.25 * call["output_tokens"])
    assert stated.costs == [call["cost_usd"]]


def test_litellm_states_the_cost_and_the_times(assay: TestClient, provider: BillingProvider) -> None:
    provider.reset()
    driver = LiteLlm(assay, provider)
    litellm.callbacks = [AssayLogger(assay, "greeting", user="ann", trace_id="t1")]
    driver.stream()
    asyncio.run(driver.read())
    calls = recorded(assay, 2)
    driver.close()
    assert [call["metadata"] for call in calls] == [{"trace_id": "t1"}] * 2
    for call in calls:
        assert 0 < call["time_to_first_token_ms"] <= call["latency_ms"] < 5_000
        price = litellm.model_cost[GPT]
        cost = (
            call["input_tokens"] * price["input_cost_per_token"]
            + call["output_tokens"] * price["output_cost_per_token"]
        )
        assert call["cost_usd"] == pytest.approx(cost)
        assert call["provider"] == "localhost"


def test_a_fallback_of_litellm_is_a_call_of_its_own(assay: TestClient, provider: BillingProvider) -> None:
    provider.reset()
    driver = LiteLlm(assay, provider)
    litellm.callbacks = [AssayLogger(assay, "greeting", user="ann")]
    nowhere = {"api_base": "http://127.0.0.1:9/v1", "max_retries": 0}

    async def ask() -> None:
        await litellm.acompletion(**{**driver.input, **nowhere}, fallbacks=[driver.input])
        await asyncio.sleep(1)  # LiteLLM reports in a task of its own.

    asyncio.run(ask())
    calls = recorded(assay, 2)
    driver.close()
    assert [call["error"] for call in calls] == [True, False]
    assert calls[1]["input_tokens"] == provider.ledger[0]["input_tokens"]


def test_litellm_over_a_wrapped_client_counts_each_call_once(
    assay: TestClient, provider: BillingProvider
) -> None:
    """It uses `with_raw_response`, which `wrap` does not observe."""
    provider.reset()
    driver = LiteLlm(assay, provider)
    client = wrapped(assay, provider)
    aclient = assay.wrap(openai.AsyncOpenAI(api_key="k", base_url=f"{provider.url}/v1"), "greeting")

    async def in_tasks() -> None:
        async def ask() -> None:
            await litellm.acompletion(**driver.input, client=aclient)

        await asyncio.gather(ask(), ask())
        await asyncio.sleep(1)  # LiteLLM reports in a task of its own.

    with assay.as_user("ann"):
        driver.whole(client=client)
        drain(driver.chunks(client=client))
        asyncio.run(in_tasks())
        client.chat.completions.create(model=GPT, **ASK)
        driver.whole()  # Its own client.
    recorded(assay, len(provider.ledger))
    time.sleep(1)  # One that is counted twice would come now.
    driver.close()
    assert len(provider.ledger) == 6
    calls = of_type("model_call", assay)
    assert sorted(call["output_tokens"] for call in calls) == sorted(
        bill["output_tokens"] for bill in provider.ledger
    )
    assert {call["user_id"] for call in calls} == {"ann"}
