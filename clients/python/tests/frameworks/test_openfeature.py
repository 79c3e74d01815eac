"""The OpenFeature provider under the official SDK."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Dict, Iterator, List

import pytest
from conftest import vectors
from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.evaluation_context import EvaluationContext
from openfeature.event import EventDetails, ProviderEvent
from openfeature.exception import ErrorCode, ProviderFatalError, ProviderNotReadyError
from openfeature.flag_evaluation import Reason
from openfeature.provider import ProviderStatus
from openfeature.track import TrackingEventDetails
from recording_service import RecordingService

from assay import Assay, create_test_client
from assay.integrations.openfeature import AssayProvider

ANN = EvaluationContext("ann")
CONTENT = {"prompt": "Be brief.", "variables": {"temperature": 0.2, "tools": ["search"], "model": 5}}
METADATA = {"experimentId": "id-greeting", "version": 3, "prompt": "Be brief."}


def experiment(name: str, share: int = 100, **changes: Any) -> Dict[str, Any]:
    """Everybody is in the second variant, unless `share` (of 100 buckets) is less."""
    variants = [{"key": "control"}, {"key": "treated", **changes.pop("content", {})}]
    entry = {"id": f"id-{name}", "name": name, "version": 3, "status": "running", "salt": "s"}
    return {**entry, "bucket_count": 100, "buckets": [[share, 1]], "variants": variants, **changes}


def config(version: int = 1) -> Dict[str, Any]:
    experiments = [
        experiment("greeting", content=CONTENT),
        experiment("checkout"),
        experiment("empty", share=0),
        experiment("over", status="stopped"),
        experiment("shipped", shipped=True),
        experiment("checkout.prompt", shipped=True),
    ]
    return {"config_version": version, "experiments": experiments}


@pytest.fixture
def service() -> Iterator[RecordingService]:
    made = RecordingService()
    made.config = config()
    yield made
    api.shutdown()
    made.stop()
    left = [thread for thread in threading.enumerate() if thread.name == "assay-openfeature"]
    for thread in left:
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def assay(service: RecordingService) -> Assay:
    return Assay(api_key="svc_pk_1", base_url=service.url, poll_interval=0.2)


@pytest.fixture
def flags(assay: Assay) -> OpenFeatureClient:
    api.set_provider_and_wait(AssayProvider(assay))
    return api.get_client()


def sent(assay: Assay, service: RecordingService, event_type: str) -> List[Any]:
    assert assay.flush()
    return [row for row in service.rows if row["type"] == event_type]


def test_a_string_flag_is_the_variant_and_brings_the_prompt(
    flags: OpenFeatureClient, assay: Assay, service: RecordingService
) -> None:
    for key in ("greeting", "id-greeting"):
        details = flags.get_string_details(key, "none", ANN)
        assert (details.value, details.variant, details.reason) == ("treated", "treated", Reason.SPLIT)
        assert details.flag_metadata == METADATA
    assert flags.get_string_details("checkout", "none", ANN).flag_metadata == {
        "experimentId": "id-checkout",
        "version": 3,
    }
    assert asyncio.run(flags.get_string_value_async("greeting", "none", ANN)) == "treated"
    # One exposure per user and experiment, as with the client itself.
    assert flags.get_object_value("greeting", {}, ANN) and assay.assign("greeting", "ann") == "treated"
    exposures = sent(assay, service, "exposure")
    assert [(row["user_id"], row["experiment_id"]) for row in exposures] == [
        ("ann", "id-greeting"),
        ("ann", "id-checkout"),
    ]


def test_an_object_flag_is_the_variables_over_the_default_with_its_types(flags: OpenFeatureClient) -> None:
    default = {"temperature": 0.7, "model": "small", "seed": 1}
    details = flags.get_object_details("greeting", default, ANN)
    # The variant's model is a number.
    assert details.value == {"temperature": 0.2, "tools": ["search"], "model": "small", "seed": 1}
    assert (details.variant, details.reason, details.flag_metadata) == ("treated", Reason.SPLIT, METADATA)
    assert default == {"temperature": 0.7, "model": "small", "seed": 1}
    assert flags.get_object_value("checkout", {"a": 1}, ANN) == {"a": 1}


def test_a_warning_about_a_flag_names_the_experiment_as_the_flag_does(
    flags: OpenFeatureClient, caplog: pytest.LogCaptureFixture
) -> None:
    for key in ("greeting", "greeting.variables"):
        value = flags.get_object_value(key, {"temperature": "warm"}, ANN)
        assert isinstance(value, dict) and value["temperature"] == "warm"
    told = [line.getMessage() for line in caplog.records if "the variable temperature" in line.getMessage()]
    assert len(told) == 1
    assert "greeting: the variable temperature" in told[0]
    assert "id-greeting" not in told[0]


def test_a_key_with_an_ending_is_that_part_of_the_content(flags: OpenFeatureClient) -> None:
    for name in ("greeting", "id-greeting"):
        details = flags.get_string_details(f"{name}.prompt", "none", ANN)
        assert (details.value, details.variant, details.flag_metadata) == ("Be brief.", "treated", METADATA)
        assert flags.get_object_value(f"{name}.variables", {"temperature": 1.0}, ANN)["temperature"] == 0.2
    assert flags.get_string_value("checkout.prompt", "none", ANN) == "treated"
    details = flags.get_string_details("shipped.prompt", "none", ANN)
    assert (details.value, details.variant) == ("none", "treated")
    for evaluate, key, default, code in (
        (flags.get_string_details, "greeting.variables", "none", ErrorCode.TYPE_MISMATCH),
        (flags.get_object_details, "greeting.prompt", {}, ErrorCode.TYPE_MISMATCH),
        (flags.get_string_details, "unknown.prompt", "none", ErrorCode.FLAG_NOT_FOUND),
        (flags.get_string_details, "greeting.other", "none", ErrorCode.FLAG_NOT_FOUND),
    ):
        failed = evaluate(key, default, ANN)  # type: ignore[operator]
        assert (failed.value, failed.error_code) == (default, code)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("empty", "none", Reason.DEFAULT),
        ("over", "none", Reason.DISABLED),
        ("shipped", "treated", Reason.STATIC),
    ],
)
def test_there_is_no_exposure_outside_a_running_split(
    key: str, value: str, reason: Reason, flags: OpenFeatureClient, assay: Assay, service: RecordingService
) -> None:
    details = flags.get_string_details(key, "none", ANN)
    assert (details.value, details.reason, details.error_code) == (value, reason, None)
    assert sent(assay, service, "exposure") == []


def test_what_cannot_be_evaluated_is_the_default_with_the_codes_of_openfeature(
    flags: OpenFeatureClient, assay: Assay, service: RecordingService
) -> None:
    nobody: Any = EvaluationContext()
    of_number: Any = EvaluationContext(5)  # type: ignore[arg-type]
    cases = [
        (flags.get_string_details, "unknown", "none", ANN, ErrorCode.FLAG_NOT_FOUND),
        (flags.get_boolean_details, "unknown", True, ANN, ErrorCode.FLAG_NOT_FOUND),
        (flags.get_object_details, "unknown", [], ANN, ErrorCode.FLAG_NOT_FOUND),
        (flags.get_string_details, "greeting", "none", nobody, ErrorCode.TARGETING_KEY_MISSING),
        (
            flags.get_string_details,
            "greeting",
            "none",
            EvaluationContext(""),
            ErrorCode.TARGETING_KEY_MISSING,
        ),
        (flags.get_string_details, "greeting", "none", of_number, ErrorCode.INVALID_CONTEXT),
        (
            flags.get_string_details,
            "greeting",
            "none",
            EvaluationContext("u" * 257),
            ErrorCode.INVALID_CONTEXT,
        ),
        (flags.get_object_details, "greeting", ["a"], ANN, ErrorCode.TYPE_MISMATCH),
        (flags.get_boolean_details, "greeting", True, ANN, ErrorCode.TYPE_MISMATCH),
        (flags.get_integer_details, "greeting", 5, ANN, ErrorCode.TYPE_MISMATCH),
        (flags.get_float_details, "greeting", 0.5, ANN, ErrorCode.TYPE_MISMATCH),
    ]
    for evaluate, key, default, context, code in cases:
        details = evaluate(key, default, context)
        found = (details.value, details.reason, details.error_code, bool(details.error_message))
        assert found == (default, Reason.ERROR, code, True), (evaluate, key, default, context)
    assert sent(assay, service, "exposure") == []


def test_an_outcome_is_of_the_experiment_that_it_names_or_of_all_of_the_user(
    flags: OpenFeatureClient, assay: Assay, service: RecordingService
) -> None:
    flags.track("signup", ANN, TrackingEventDetails(attributes={"experiment": "greeting"}))
    flags.track("order_value", ANN, TrackingEventDetails(19.9, {"currency": "EUR"}))
    # None of these reaches the application.
    flags.track("signup")
    flags.track("signup", ANN, 5)  # type: ignore[arg-type]
    common = {"type", "user_id", "business_metric", "value", "experiment_id", "metadata"}
    rows = sent(assay, service, "business_event")
    told = [{name: row[name] for name in common & row.keys()} for row in rows]
    outcome = {"type": "business_event", "user_id": "ann"}
    signup = {**outcome, "business_metric": "signup", "value": 1}
    order = {**outcome, "business_metric": "order_value", "value": 19.9, "metadata": {"currency": "EUR"}}
    assert told == [
        {**signup, "experiment_id": "greeting"},
        {**order, "experiment_id": "id-greeting"},
        {**order, "experiment_id": "id-checkout"},
        {**signup, "experiment_id": "id-greeting"},
        {**signup, "experiment_id": "id-checkout"},
    ]
    assert sent(assay, service, "exposure") == []


def test_a_newer_config_is_an_event_and_shutdown_delivers_and_closes(
    flags: OpenFeatureClient, assay: Assay, service: RecordingService
) -> None:
    changed = threading.Event()

    def note(_: EventDetails) -> None:
        changed.set()

    flags.add_handler(ProviderEvent.PROVIDER_CONFIGURATION_CHANGED, note)
    service.publish(config(2))
    assert changed.wait(30)
    flags.track("signup", ANN, TrackingEventDetails(attributes={"experiment": "greeting"}))
    provider = AssayProvider(assay)
    api.shutdown()
    assert [row["business_metric"] for row in service.rows] == ["signup"]
    provider.shutdown()
    with pytest.raises(ProviderFatalError):
        provider.initialize(ANN)


def test_it_becomes_ready_with_the_first_config(service: RecordingService) -> None:
    service.config = None
    assay = Assay(api_key="svc_pk_1", base_url=service.url)
    flags = api.get_client()
    with pytest.raises(ProviderNotReadyError):
        api.set_provider_and_wait(AssayProvider(assay))
    assert flags.get_string_details("greeting", "none", ANN).error_code is ErrorCode.PROVIDER_NOT_READY
    ready = threading.Event()

    def note(_: EventDetails) -> None:
        ready.set()

    flags.add_handler(ProviderEvent.PROVIDER_READY, note)
    service.publish(config())
    assert ready.wait(30)
    assert flags.get_provider_status() is ProviderStatus.READY
    assert flags.get_string_value("greeting", "none", ANN) == "treated"


def test_an_experiment_that_assigns_conversations_or_runs_gets_the_unit_of_the_context(
    service: RecordingService,
) -> None:
    service.config = vectors("units")["config"]
    assay = Assay(api_key="svc_pk_1", base_url=service.url)
    api.set_provider_and_wait(AssayProvider(assay))
    flags = api.get_client()

    def answers(**attributes: Any) -> List[str]:
        context = EvaluationContext("ann", attributes)
        return [flags.get_string_value(key, "none", context) for key in ("by-conversation", "by-run")]

    assert answers(conversation_id="c-1") == ["treatment", "none"]
    assert answers(run_id="r-1") == ["none", "treatment"]
    assert answers(unit_id="c-1", conversation_id="c-3", run_id="c-3") == answers(unit_id="c-1")
    both = EvaluationContext("ann", {"conversation_id": "c-1", "run_id": "r-1"})
    assert flags.get_object_value("by-conversation", {"t": 0}, both) == {"t": 1}
    assert flags.get_string_value("by-conversation.prompt", "none", both) == "T"
    for key in ("by-run", "by-user"):
        flags.track("signup", both, TrackingEventDetails(attributes={"experiment": key}))
    flags.track("order", EvaluationContext("ann", {"conversation_id": "c-1"}))
    units = [row.get("unit_id") for row in sent(assay, service, "business_event")]
    assert units == ["r-1", None, None, "c-1", "c-1"]


def test_it_serves_a_test_client(service: RecordingService) -> None:
    api.set_provider_and_wait(AssayProvider(create_test_client({"greeting": "short"})))
    details = api.get_client().get_string_details("greeting", "none", ANN)
    assert (details.value, details.flag_metadata) == ("short", {"experimentId": "greeting"})
