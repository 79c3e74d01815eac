"""Evaluates a flag for users (a JSON list on stdin) with OpenFeature's own provider; prints the details as JSON."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(
    OFREPProvider(os.environ["BASE_URL"], headers_factory=lambda: {"X-API-Key": os.environ["API_KEY"]})
)
client = api.get_client()
flag = sys.argv[1]


def evaluate(user):
    details = client.get_string_details(flag, "none", EvaluationContext(user))
    code = details.error_code
    return [details.value, details.variant, details.reason, code.value if code else None]


with ThreadPoolExecutor(8) as threads:
    json.dump(list(threads.map(evaluate, json.load(sys.stdin))), sys.stdout)
