package dev.assay.internal.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.anthropic.helpers.BetaToolRunner;
import com.anthropic.models.beta.messages.BetaMessage;
import com.anthropic.models.beta.messages.MessageCreateParams;
import com.openai.client.OpenAIClient;
import com.openai.core.http.AsyncStreamResponse;
import com.openai.core.http.HttpResponseFor;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.StructuredChatCompletion;
import dev.assay.AssayClient;
import dev.assay.CallOptions;
import dev.assay.internal.modelcall.RecordingHost;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What wrapping does beyond the vectors. */
class WrapTest {
    private static final CallOptions ADA = CallOptions.create().user("ada");
    private static final String CHUNK =
            "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},"
                    + "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    private static final Map<String, Object> STREAM =
            Map.of("status", 200, "headers", Map.of("content-type", "text/event-stream"), "chunks", List.of(CHUNK));
    private static final Map<String, Object> REFUSAL = Map.of(
            "status", 400, "body", Map.of("error", Map.of("message", "unknown field stream_options", "code", "x")));
    private static final Map<String, Object> OTHER_ERROR =
            Map.of("status", 400, "body", Map.of("error", Map.of("message", "no", "code", "x")));

    private final RecordingHost host =
            new RecordingHost(Vectors.read("wrap/openai-chat").get("config"));

    private OpenAIClient client;

    @BeforeEach
    void wrap() throws Exception {
        client = ProviderView.wrap(host, LibraryCall.openai(), "greeting", ADA);
    }

    @TestFactory
    Stream<DynamicTest> namesTheProviderByItsBaseUrl() {
        return Vectors.cases("providers").stream()
                .map(vector -> DynamicTest.dynamicTest(
                        "providers.json: " + vector.get("base_url"),
                        () -> assertEquals(vector.get("provider"), ProviderName.at((String) vector.get("base_url")))));
    }

    @Test
    void hasTheTableOfTheVectors() {
        List<Map<String, Object>> own = new ArrayList<>();
        ProviderName.HOSTS.forEach((name, hosts) -> own.add(Map.of("host", hosts.pattern(), "provider", name)));
        assertEquals(Vectors.read("providers").get("table"), own);
    }

    @Test
    void asksForTheUsageOfStreamsUntilItIsRefused() throws Exception {
        answer(REFUSAL, STREAM, STREAM);
        try (StreamResponse<ChatCompletionChunk> stream =
                client.chat().completions().createStreaming(params())) {
            assertEquals(1, stream.stream().count());
        }
        try (StreamResponse<ChatCompletionChunk> stream =
                client.chat().completions().createStreaming(params())) {
            assertEquals(1, stream.stream().count());
        }
        assertEquals(List.of(true, false, false), asked());
        assertCalls(2, "response", "Hi");
    }

    @Test
    void asksAnAsynchronousStreamUntilItIsRefused() throws Exception {
        answer(REFUSAL, STREAM);
        List<Object> chunks = new ArrayList<>();
        AsyncStreamResponse<ChatCompletionChunk> stream =
                client.async().chat().completions().createStreaming(params());
        stream.subscribe(chunks::add);
        stream.onCompleteFuture().join();
        assertEquals(1, chunks.size());
        assertEquals(List.of(true, false), asked());
        assertCalls(1, "response", "Hi");
    }

    @Test
    void asksRawStreamsUntilTheyAreRefused() throws Exception {
        answer(REFUSAL, STREAM, STREAM);
        CompletableFuture<HttpResponseFor<StreamResponse<ChatCompletionChunk>>> later =
                client.async().withRawResponse().chat().completions().createStreaming(params());
        try (StreamResponse<ChatCompletionChunk> stream = later.join().parse()) {
            assertEquals(1, stream.stream().count());
        }
        try (StreamResponse<ChatCompletionChunk> stream = client.withRawResponse()
                .chat()
                .completions()
                .createStreaming(params())
                .parse()) {
            assertEquals(1, stream.stream().count());
        }
        assertEquals(List.of(true, false, false), asked());
        assertCalls(2, "response", "Hi");
    }

    @Test
    void throwsOtherErrorsAsTheyAre() throws Exception {
        answer(OTHER_ERROR);
        assertThrows(
                BadRequestException.class, () -> client.chat().completions().createStreaming(params()));
        assertEquals(List.of(true), asked());
        assertCalls(1, "error_type", "BadRequestException");
    }

    @Test
    void doesNotAskWhereTheOptionsSaySo() throws Exception {
        answer(STREAM);
        OpenAIClient other = ProviderView.wrap(host, LibraryCall.openai(), "greeting", ADA.streamUsage(false));
        try (StreamResponse<ChatCompletionChunk> stream =
                other.chat().completions().createStreaming(params())) {
            assertEquals(1, stream.stream().count());
        }
        assertEquals(List.of(false), asked());
    }

    @Test
    void readsARawResponseOnceWhenItIsParsed() throws Exception {
        answer(chat());
        try (HttpResponseFor<ChatCompletion> raw =
                client.withRawResponse().chat().completions().create(params())) {
            assertEquals(200, raw.statusCode());
            assertEquals(List.of(), host.calls());
            assertSame(raw.parse(), raw.parse());
        }
        assertCalls(1, "response", "{\"ok\":true}");
    }

    @Test
    void keepsStructuredOutputsAndCopies() throws Exception {
        answer(chat());
        StructuredChatCompletion<Checked> answer = client.withOptions(options -> options.putHeader("x", "y"))
                .chat()
                .completions()
                .create(ChatCompletionCreateParams.builder()
                        .model("m")
                        .addUserMessage("Hi")
                        .responseFormat(Checked.class)
                        .build());
        assertTrue(answer.choices().get(0).message().content().orElseThrow().ok);
        assertCalls(1, "response", "{\"ok\":true}");
    }

    /** What a model answers. */
    public static final class Checked {
        /** Its one field. */
        public boolean ok;
    }

    @Test
    void isTheSameViewTwiceAndOnceWhenWrappedTwice() throws Exception {
        answer(chat());
        assertSame(client.chat().completions(), client.chat().completions());
        assertEquals(client, ProviderView.wrap(host, client, "greeting", ADA));
        ProviderView.wrap(host, client, "greeting", CallOptions.create().traceId("t"))
                .chat()
                .completions()
                .create(params());
        assertCalls(1, "metadata", Map.of("trace_id", "t"));
    }

    @Test
    void returnsWhatItDoesNotKnowWithAWarning() {
        Object unknown = new Object();
        assertSame(unknown, ProviderView.wrap(host, unknown, "greeting", ADA));
        assertEquals(List.of("wrap does not support this object"), host.warnings);
    }

    @Test
    void takesUserConversationAndMetadataFromWithUser() throws Exception {
        answer(chat());
        AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));
        OpenAIClient wrapped = assay.wrap(LibraryCall.openai(), "greeting");
        wrapped.chat().completions().create(params());
        CallOptions bob = CallOptions.create().user("bob").conversationId("c").metadata(Map.of("plan", "pro"));
        assay.withUser(bob, () -> wrapped.chat().completions().create(params()));
        // Its own call, inside of another: counted once.
        assay.withUser(
                "ann",
                () -> assay.interceptModelCall(
                        "greeting", "ann", () -> wrapped.chat().completions().create(params())));
        List<Map<String, Object>> calls = assay.trackedEvents().stream()
                .filter(event -> event.get("type").equals("model_call"))
                .collect(Collectors.toList());
        assertEquals(
                List.of("bob", "ann"),
                calls.stream().map(call -> call.get("user_id")).collect(Collectors.toList()));
        assertEquals(Map.of("conversation_id", "c", "plan", "pro"), calls.get(0).get("metadata"));
    }

    @Test
    void countsEachCallOfAToolRunner() throws Exception {
        Map<String, Object> text = Map.of("type", "text", "text", "{\"ok\":true}");
        Map<String, Object> message = Map.of(
                "id",
                "m",
                "type",
                "message",
                "role",
                "assistant",
                "model",
                "m",
                "content",
                List.of(text),
                "stop_reason",
                "end_turn",
                "usage",
                Map.of("input_tokens", 3, "output_tokens", 4));
        ScenarioServer.get().install(Map.of("/v1/messages", List.of(Map.of("status", 200, "body", message))));
        BetaToolRunner runner = ProviderView.wrap(host, LibraryCall.anthropic(), "greeting", ADA)
                .beta()
                .messages()
                .toolRunner(MessageCreateParams.builder()
                        .model("m")
                        .maxTokens(9)
                        .addUserMessage("Hi")
                        .build());
        int answers = 0;
        for (BetaMessage ignored : runner) answers++;
        assertEquals(1, answers);
        assertCalls(1, "output_tokens", 4L);
    }

    private static Map<String, Object> chat() {
        Map<String, Object> message = Map.of("role", "assistant", "content", "{\"ok\":true}");
        Map<String, Object> choice = Map.of("index", 0, "finish_reason", "stop", "message", message);
        return Map.of("status", 200, "body", Map.of("id", "c", "model", "m", "choices", List.of(choice)));
    }

    private static ChatCompletionCreateParams params() {
        return ChatCompletionCreateParams.builder()
                .model("m")
                .addUserMessage("Hi")
                .build();
    }

    private static void answer(Object... replies) throws Exception {
        ScenarioServer.get().install(Map.of("/v1/chat/completions", List.of(replies)));
    }

    /** Whether each request included the option for usage. */
    private static List<Boolean> asked() throws Exception {
        return ScenarioServer.get().requests().stream()
                .map(request -> request.get("body").toString().contains("\"include_usage\":true"))
                .collect(Collectors.toList());
    }

    private void assertCalls(int count, String field, Object value) {
        assertEquals(count, host.calls().size());
        host.calls().forEach(call -> assertEquals(value, call.get(field), call.toString()));
    }
}
