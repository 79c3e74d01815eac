"""One answer of a model, traced by Langfuse for Python 2 and scored."""
import os
import sys

from langfuse import Langfuse
from langfuse.openai import OpenAI

kind = sys.argv[1]
langfuse = Langfuse()
assert langfuse.auth_check()
flag = {"feature_flag.key": "greeting", "feature_flag.result.variant": "treatment"}
messages = [{"role": "user", "content": "What is a share?"}]
trace = langfuse.trace(name="request", user_id=os.environ["USER_ID"], session_id="s1", metadata=flag)
span = trace.span(name="answer")
openai = OpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key="k", max_retries=0)
inside = {"trace_id": trace.id, "parent_observation_id": span.id}
try:
    if kind == "stream":
        options = {"include_usage": True}
        for _ in openai.chat.completions.create(
            model="gpt-5-mini", messages=messages, stream=True, stream_options=options, **inside
        ):
            pass
    else:
        openai.chat.completions.create(model="gpt-5-mini", messages=messages, **inside)
except Exception:
    assert kind == "error"
span.end()
trace.score(name="helpful", value=0.5, data_type="NUMERIC", comment="so so")
trace.score(name="tone", value="kind", data_type="CATEGORICAL")
langfuse.flush()
