"""
Gives Schemathesis access: the right credential for every route, and existing ids. scripts/fuzz.ts provides
the settings.
"""

import base64
import hashlib
import hmac
import json
import os
import time
import uuid

import requests
import schemathesis

WORLD = json.loads(os.environ["ASSAY_FUZZ_WORLD"])


class Credential(requests.auth.AuthBase):
    """Adds the route's credential once the request's bytes are known."""

    def __call__(self, request):
        path = request.path_url.split("?")[0]
        if path in WORLD["signatures"]:
            request.headers.update(signature(request.body or b"", **WORLD["signatures"][path]))
        elif path.startswith(tuple(WORLD.get("keyPaths", []))):
            request.headers.setdefault("X-API-Key", WORLD["key"])
        elif path.startswith("/v1/sessions") and "leaver" in WORLD:
            request.headers.setdefault("Authorization", "Bearer " + WORLD["leaver"])
        elif "session" in WORLD:
            request.headers.setdefault("Authorization", "Bearer " + WORLD["session"])
        return request


def signature(body, scheme, secret):
    """The headers that sign a body, by Standard Webhooks or in the billing provider's format."""
    body = body.encode() if isinstance(body, str) else body
    at = str(int(time.time()))
    if scheme == "billing":
        digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
        return {"Billing-Signature": f"t={at},v1={digest}"}
    delivery = str(uuid.uuid4())
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{delivery}.{at}.".encode() + body, hashlib.sha256).digest()
    signed = "v1," + base64.b64encode(digest).decode()
    return {"webhook-id": delivery, "webhook-timestamp": at, "webhook-signature": signed}


schemathesis.auth.set_from_requests(Credential())


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Replaces three of four valid ids with an existing one: any other id gets a 404."""
    known = next((ids for prefix, ids in WORLD["ids"].items() if context.operation.path.startswith(prefix)), None)
    try:
        number = uuid.UUID(str((path_parameters or {}).get("id"))).int
    except ValueError:
        return path_parameters
    if known is not None and number % 4 > 0:
        path_parameters["id"] = known
    return path_parameters


@schemathesis.hook
def map_body(context, body):
    """Makes well-formed values consistent with each other. Malformed values stay as generated."""
    if context.operation.path.startswith("/v1/experiments"):
        pair_arms(body)
    for row in rows_of(body):
        if "experiment" in WORLD and isinstance(row.get("experiment_id"), str):
            row["experiment_id"] = WORLD["experiment"]
        if isinstance(row.get("effective_from"), str):
            row["effective_from"] = DAY
        name_metric(context, row)
    return body


@schemathesis.hook
def map_query(context, query):
    if context.operation.path == "/v1/prices" and isinstance((query or {}).get("effective_from"), str):
        query["effective_from"] = DAY
    name_metric(context, query)
    return query


@schemathesis.hook
def map_headers(context, headers):
    """Most generated versions are out of date, so half of the changes use the current version."""
    if headers and len(str(headers.get("If-Match", ""))) % 2 == 0:
        headers.pop("If-Match", None)
    return headers


def name_metric(context, parameters):
    """Replaces half of the well-formed names with the judged metric: other metrics have no judge data."""
    of_judge = context.operation.path.startswith(JUDGED_PATHS) and "judgedMetric" in WORLD
    metric = (parameters or {}).get("metric")
    if of_judge and isinstance(metric, str) and len(metric) <= 64 and len(metric) % 2:
        parameters["metric"] = WORLD["judgedMetric"]


DAY = "2026-01-01"
JUDGED_PATHS = ("/v1/experiments/{id}/labels", "/v1/experiments/{id}/judgements")
PLAIN_METRIC = {"kind": "binary", "category": "business", "method_default": "auto"}
METRIC_EXTRAS = ("source", "quantile", "role", "margin", "cap", "method", "judge")


def pair_arms(body):
    """
    Gives each arm of an allocation its own variant key, and drops `variants` so that the allocation defines
    them.
    """
    allocation = body.get("allocation") if isinstance(body, dict) else None
    slices = allocation if isinstance(allocation, list) else []
    if len(slices) < 2 or not all(isinstance(part, dict) for part in slices):
        return
    if isinstance(body.get("name"), str) and 0 < len(body["name"]) <= 80:
        body["name"] += hashlib.sha256(repr(body).encode()).hexdigest()[:8]
    for index, part in enumerate(slices):
        if isinstance(part.get("variant"), str):
            part["variant"] = f"arm-{index}"
    for field in ("variants", "control"):
        if isinstance(body.get(field), (list, str)):
            del body[field]
    metrics = body.get("metrics") if isinstance(body.get("metrics"), list) else []
    for index, metric in enumerate(metrics):
        if isinstance(metric, dict) and isinstance(metric.get("name"), str):
            metric["name"] = f"metric-{index}"
            if len(metrics) % 2:
                metric.update(PLAIN_METRIC)
                for extra in METRIC_EXTRAS:
                    metric.pop(extra, None)


def rows_of(body):
    if isinstance(body, dict):
        yield body
        body = body.get("events")
    if isinstance(body, list):
        yield from (row for row in body if isinstance(row, dict))
