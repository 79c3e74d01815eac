package dev.assay.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.assay.ModelCallFacts;
import dev.assay.internal.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Cases that the shared vectors do not have. JSON is written with single quotes here. */
class WireReaderTest {
    private static final String CHUNK = "{'choices':[{'index':0,'delta':{'content':'%s'}}],'model':'m'}";

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static DynamicTest tells(String name, String request, String response, String facts) {
        return DynamicTest.dynamicTest(name, () -> {
            Map<String, Object> known = ModelCallFacts.fromWire(
                            request == null ? null : json(request), response == null ? null : json(response))
                    .fields();
            assertEquals(Json.parse(json(facts)), known);
        });
    }

    @TestFactory
    Stream<DynamicTest> requests() {
        return Stream.of(
                tells(
                        "of OpenAI's chat",
                        "{'model':'m','messages':[{'role':'user','content':'Hi'}]}",
                        null,
                        "{'requested_model':'m','prompt':'Hi'}"),
                tells(
                        "of OpenAI's responses",
                        "{'model':'m','input':'Hi','instructions':'Be brief'}",
                        null,
                        "{'requested_model':'m','prompt':'system: Be brief\\n\\nuser: Hi'}"),
                tells(
                        "of Google, as it goes over the wire",
                        "{'contents':[{'role':'user','parts':[{'text':'Hi'}]}],"
                                + "'systemInstruction':{'parts':[{'text':'Be brief'}]}}",
                        null,
                        "{'prompt':'system: Be brief\\n\\nuser: Hi'}"),
                tells("that say nothing", "{'model':7,'messages':[]}", null, "{}"),
                tells("that are no objects", "[1]", null, "{}"),
                tells("that are no JSON", "{'model':'m'", null, "{}"));
    }

    @TestFactory
    Stream<DynamicTest> errors() {
        return Stream.of(
                tells(
                        "of OpenAI, by code",
                        null,
                        "{'error':{'message':'No','type':'requests','code':'rate_limit_exceeded'}}",
                        "{'provider':'openai','error_type':'rate_limit_exceeded'}"),
                tells(
                        "of OpenAI, by type",
                        null,
                        "{'error':{'message':'No','type':'server_error','code':null}}",
                        "{'provider':'openai','error_type':'server_error'}"),
                tells(
                        "of OpenAI, without a name",
                        null,
                        "{'error':{'message':'No','type':null,'code':null}}",
                        "{'provider':'openai','error_type':'Error'}"),
                tells(
                        "of Anthropic",
                        null,
                        "{'type':'error','error':{'type':'overloaded_error','message':'No'}}",
                        "{'provider':'anthropic','error_type':'overloaded_error'}"),
                tells(
                        "of Google",
                        null,
                        "{'error':{'code':400,'message':'No','status':'INVALID_ARGUMENT'}}",
                        "{'provider':'google','error_type':'INVALID_ARGUMENT'}"),
                tells(
                        "of Google's list of chunks",
                        null,
                        "[{'error':{'code':503,'message':'No','status':'UNAVAILABLE'}}]",
                        "{'provider':'google','error_type':'UNAVAILABLE'}"),
                tells(
                        "in a stream of OpenAI's chat",
                        null,
                        "data: " + String.format(CHUNK, "Hi") + "\n\ndata: {'error':{'message':'No','type':'t'}}\n\n",
                        "{'provider':'openai','model':'m','response':'Hi','error_type':'t','output_tokens':1,'usage_estimated':true}"),
                tells(
                        "in a stream of OpenAI's responses",
                        null,
                        "event: error\ndata: {'type':'error','code':'server_error','message':'No'}\n\n",
                        "{'provider':'openai','error_type':'server_error'}"),
                tells("without a message are none", null, "{'error':{'code':'x'}}", "{}"),
                tells(
                        "that are null are none",
                        null,
                        "{'choices':[],'model':'m','error':null}",
                        "{'provider':'openai','model':'m'}"));
    }

    private static DynamicTest says(String name, String response, String text) {
        return DynamicTest.dynamicTest(
                name,
                () -> assertEquals(
                        text, ModelCallFacts.fromWire(null, response).fields().get("response")));
    }

    @TestFactory
    Stream<DynamicTest> streams() {
        String a = json(String.format(CHUNK, "a"));
        String b = json(String.format(CHUNK, "b"));
        return Stream.of(
                says(
                        "of lines that end in any way",
                        "data: " + a + "\r\n\r\ndata:" + b + "\r\rdata: " + a + "\n\n",
                        "aba"),
                says("with comments and other fields", ": hi\nid: 1\nevent: e\ndata: " + a + "\nretry: 5\n\n", "a"),
                says("with data over several lines", "data: " + a.replace(",", ",\ndata: ") + "\n\n", "a"),
                says("whose last event lacks its blank line", "data: " + a + "\n\ndata: " + b, "ab"),
                says("torn within an event", "data: " + a + "\n\ndata: " + b.substring(0, 20), "a"),
                says("with an event that is not JSON", "data: oops\n\ndata: " + a + "\n\n", "a"),
                says("that go on behind their end", "data: " + a + "\n\ndata: [DONE]\n\ndata: " + b + "\n\n", "a"),
                says("that are a list of chunks", "\n[" + a + ",\n" + b + "]", "ab"),
                says("without any data", "<html>\n\nOops</html>", null),
                says("that are empty", "", null));
    }

    @TestFactory
    Stream<DynamicTest> counts() {
        String usage = "{'choices':[],'usage':{'prompt_tokens':%s}}";
        return Stream.of("-1", "'3'", "true", "{}", "null", "1.5", "1e300")
                .map(count ->
                        tells("are not made of " + count, null, String.format(usage, count), "{'provider':'openai'}"));
    }

    @Test
    void learnsTheLastValueOfEachCountOfASum() {
        FactFields fields = new FactFields()
                .with("usage.a", Fact.INPUT_TOKENS)
                .with("usage.b", Fact.INPUT_TOKENS)
                .with("start.usage.a", Fact.INPUT_TOKENS)
                .with("usage.d", Fact.INPUT_TOKENS, Fact.REASONING_TOKENS);
        Reading reading = new Reading();
        fields.learn(Json.parse(json("{'start':{'usage':{'a':1}},'usage':{'b':2,'d':3}}")), reading);
        fields.learn(Json.parse(json("{'usage':{'a':5,'d':0}}")), reading);
        assertEquals(Map.of("input_tokens", 7L, "reasoning_tokens", 0L), reading.toFields());
    }

    @Test
    void holdsNoMoreThanTheTextThatIsKeptHoweverLongAStreamIs() {
        String call = "{'choices':[{'delta':{'tool_calls':[{'function':{'name':'%s','arguments':'%s'}}]}}]}";
        StringBuilder stream = new StringBuilder("data: " + String.format(call, "f", "{") + "\n\n");
        for (int i = 0; i < 3_000; i++) {
            stream.append("data: ")
                    .append(String.format(call, "", "x".repeat(100)))
                    .append("\n\n");
        }
        stream.append("data: {'choices':[{'delta':{},'finish_reason':'stop'}]}\n\n");
        String response = (String)
                ModelCallFacts.fromWire(null, json(stream.toString())).fields().get("response");
        assertEquals(CallText.MAX_TEXT_BYTES + 1, response.length());
    }

    @Test
    void throwsAtNothing() {
        Random random = new Random(11);
        for (int run = 0; run < 5_000; run++) {
            List<Object> answers = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                answers.add(oddValue(random, 4));
            }
            String text = Json.write(answers);
            String cut = text.substring(0, random.nextInt(text.length() + 1));
            for (String body : List.of(text, cut, "data: " + Json.write(answers.get(0)) + "\n\ndata: " + cut)) {
                assertNotNull(ModelCallFacts.fromWire(body, body));
            }
        }
    }

    private static final List<String> NAMES = List.of(
            "type",
            "message",
            "content",
            "delta",
            "usage",
            "candidates",
            "content_block",
            "index",
            "choices",
            "error",
            "tool_calls",
            "function",
            "name",
            "arguments",
            "object",
            "response",
            "item",
            "output",
            "parts",
            "text",
            "contents",
            "messages",
            "input",
            "system",
            "model",
            "partial_json",
            "finish_reason",
            "inlineData");
    private static final List<String> WORDS = List.of(
            "message",
            "content_block_start",
            "content_block_stop",
            "response",
            "error",
            "response.output_item.done",
            "thinking",
            "image",
            "response.output_text.delta",
            "");

    private static Object oddValue(Random random, int depth) {
        int kind = random.nextInt(depth == 0 ? 4 : 8);
        if (kind == 0) {
            return random.nextBoolean() ? null : random.nextBoolean();
        }
        if (kind == 1) {
            return random.nextInt(3) - 1;
        }
        if (kind < 4) {
            return WORDS.get(random.nextInt(WORDS.size()));
        }
        if (kind == 4) {
            return Collections.nCopies(random.nextInt(3), oddValue(random, depth - 1));
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            fields.put(NAMES.get(random.nextInt(NAMES.size())), oddValue(random, depth - 1));
        }
        return fields;
    }
}
