"""One answer of a model, traced by Langfuse for Python 4 or 5 and scored."""
import os
import sys

from langfuse import get_client, propagate_attributes
from langfuse.openai import OpenAI

kind = sys.argv[1]
langfuse = get_client()
assert langfuse.auth_check()
flag = {"feature_flag.key": "greeting", "feature_flag.result.variant": "treatment"}
messages = [{"role": "user", "content": "What is a share?"}]
openai = OpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key="k", max_retries=0)
with propagate_attributes(user_id=os.environ["USER_ID"], session_id="s1", metadata=flag):
    with langfuse.start_as_current_observation(name="request", as_type="span"):
        try:
            if kind == "stream":
                options = {"include_usage": True}
                for _ in openai.chat.completions.create(
                    model="gpt-5-mini", messages=messages, stream=True, stream_options=options
                ):
                    pass
            else:
                openai.chat.completions.create(model="gpt-5-mini", messages=messages)
        except Exception:
            assert kind == "error"
        langfuse.score_current_trace(name="helpful", value=0.5, data_type="NUMERIC", comment="so so")
        langfuse.score_current_trace(name="tone", value="kind", data_type="CATEGORICAL")
langfuse.flush()
try:
    langfuse.get_prompt("greeting")
except Exception as error:
    assert "404" in str(error) or "NotFound" in type(error).__name__, error
else:
    raise AssertionError("there is no such prompt")
