"""Evaluates a flag for users (a JSON list on stdin) with OpenFeature's own provider; prints the details as JSON."""

import json
import os
import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(
    OFREPProvider(os.environ["BASE_URL"], headers_factory=lambda: {"X-API-Key": os.environ["API_KEY"]})
)
client = api.get_client()
flag = sys.argv[1]
evaluated = []
for user in json.load(sys.stdin):
    details = client.get_string_details(flag, "none", EvaluationContext(user))
    code = details.error_code
    evaluated.append([details.value, details.variant, details.reason, code.value if code else None])
json.dump(evaluated, sys.stdout)
