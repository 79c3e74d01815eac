package dev.assay.internal.modelcall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.ModelCallFacts;
import dev.assay.UsageExtractor;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ModelCallsTest {
    private static final String CHAT = "{\"choices\":[{\"message\":{\"content\":\"Hi\"}}],\"model\":\"m\"}";
    private static final UsageExtractor<Object> NONE = result -> null;

    private final RecordingHost host =
            new RecordingHost(Vectors.read("wrap/openai-chat").get("config"));

    private <T> T intercept(Callable<T> call, UsageExtractor<? super T> extractor) throws Exception {
        return ModelCalls.intercept(host, "greeting", "ada", call, extractor);
    }

    private <T> CompletionStage<T> interceptAsync(CompletionStage<T> stage, UsageExtractor<? super T> extractor) {
        return ModelCalls.interceptAsync(host, "greeting", "ada", () -> stage, extractor);
    }

    private Map<String, Object> onlyCall() {
        List<Map<String, Object>> calls = host.calls();
        assertEquals(1, calls.size());
        return calls.get(0);
    }

    private static Exception overloaded() {
        class Overloaded extends Exception {
            private static final long serialVersionUID = 1L;
        }

        return new Overloaded();
    }

    @Test
    void recordsTheExposureBeforeTheCallAndTheCallAfterIt() throws Exception {
        Object result = new Object();
        ModelCallFacts facts = ModelCallFacts.builder()
                .provider("own")
                .outputTokens(5)
                .costUsd(0.01)
                .response("Hi")
                .build();
        assertSame(
                result,
                intercept(
                        () -> {
                            assertEquals(
                                    List.of("exposure"),
                                    List.of(host.events.get(0).get("type")));
                            Thread.sleep(2);
                            return result;
                        },
                        told -> told == result ? facts : null));
        Map<String, Object> exposure = host.events.get(0);
        assertEquals("exposure", exposure.get("type"));
        assertEquals("ada", exposure.get("user_id"));
        assertEquals("short", exposure.get("variant"));
        assertEquals(4, exposure.size());
        Map<String, Object> call = onlyCall();
        assertTrue((double) call.remove("latency_ms") >= 2);
        assertEquals(
                Map.of("provider", "own", "output_tokens", 5L, "cost_usd", 0.01, "response", "Hi", "error", false),
                call);
    }

    @Test
    void recognisesTheFormatsOfProvidersWithoutAnExtractor() throws Exception {
        assertSame(CHAT, intercept(() -> CHAT, null));
        interceptAsync(CompletableFuture.completedFuture(CHAT), null);
        intercept(() -> 7, null);
        intercept(() -> "Hello", null);
        List<Map<String, Object>> calls = host.calls();
        assertEquals(4, calls.size());
        calls.forEach(call -> call.remove("latency_ms"));
        Map<String, Object> told = Map.of("provider", "openai", "model", "m", "response", "Hi", "error", false);
        assertEquals(List.of(told, told, Map.of("error", false), Map.of("error", false)), calls);
    }

    private static DynamicTest answers(String name, int status, Object body, Map<String, Object> told) {
        return DynamicTest.dynamicTest(name, () -> {
            RecordingHost host =
                    new RecordingHost(Vectors.read("wrap/openai-chat").get("config"));
            ScenarioServer server = ScenarioServer.get();
            server.install(Map.of("/v1/x", List.of(Map.of("status", status, "chunks", List.of(body)))));
            HttpRequest get =
                    HttpRequest.newBuilder(URI.create(server.url() + "/v1/x")).build();
            Callable<HttpResponse<String>> call =
                    () -> HttpClient.newHttpClient().send(get, HttpResponse.BodyHandlers.ofString());
            assertEquals(
                    status,
                    ModelCalls.intercept(host, "greeting", "ada", call, null).statusCode());
            Map<String, Object> recorded = host.calls().get(0);
            recorded.remove("latency_ms");
            assertEquals(told, recorded);
        });
    }

    @TestFactory
    Stream<DynamicTest> readsAnAnswerOverHttp() {
        String error = "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"No\"}}";
        return Stream.of(
                answers(
                        "that is one",
                        200,
                        CHAT,
                        Map.of("provider", "openai", "model", "m", "response", "Hi", "error", false)),
                answers(
                        "that is an error of the provider's",
                        500,
                        error,
                        Map.of("provider", "anthropic", "error", true, "error_type", "api_error")),
                answers(
                        "that is an error of something in between",
                        502,
                        "<html>",
                        Map.of("error", true, "error_type", "http_502")));
    }

    @TestFactory
    Stream<DynamicTest> throwsOnJustWhatTheCallThrew() {
        return Stream.of(
                        Map.entry("Overloaded", overloaded()),
                        Map.entry("IllegalStateException", new IllegalStateException("x")),
                        Map.entry("AssertionError", new AssertionError("x")),
                        Map.entry("IOException", new IOException() {
                            private static final long serialVersionUID = 1L;
                        }),
                        Map.entry("SocketTimeoutException", new SocketTimeoutException()),
                        Map.entry("TimeoutException", new CompletionException(new TimeoutException())),
                        Map.entry("ExecutionException", new ExecutionException(null)))
                .map(row -> DynamicTest.dynamicTest(row.getKey(), () -> {
                    Throwable thrown = row.getValue();
                    host.events.clear();
                    assertSame(thrown, assertThrows(Throwable.class, () -> intercept(throwing(thrown), NONE)));
                    CompletableFuture<Object> stage = new CompletableFuture<>();
                    assertSame(stage, interceptAsync(stage, NONE));
                    stage.completeExceptionally(thrown);
                    List<Map<String, Object>> calls = host.calls();
                    assertEquals(2, calls.size());
                    calls.forEach(call -> call.remove("latency_ms"));
                    Map<String, Object> failed = Map.of("error", true, "error_type", row.getKey());
                    assertEquals(List.of(failed, failed), calls);
                }));
    }

    private static Callable<Object> throwing(Throwable thrown) {
        return () -> {
            if (thrown instanceof Error) {
                throw (Error) thrown;
            }
            throw (Exception) thrown;
        };
    }

    @TestFactory
    Stream<DynamicTest> aCallThatTheCallerGaveUpIsNoError() {
        return Stream.of(
                        new InterruptedException(),
                        new CancellationException(),
                        new ClosedByInterruptException(),
                        new CompletionException(new CancellationException()),
                        new IOException("wrapped", new RuntimeException(new InterruptedException())))
                .map(thrown -> DynamicTest.dynamicTest(thrown.toString(), () -> {
                    host.events.clear();
                    assertSame(thrown, assertThrows(Exception.class, () -> intercept(throwing(thrown), NONE)));
                    assertAborted();
                }));
    }

    private void assertAborted() {
        Map<String, Object> call = onlyCall();
        call.remove("latency_ms");
        assertEquals(Map.of("error", false, "metadata", Map.of("outcome", "aborted")), call);
    }

    @Test
    void anInterruptThatOnlyTheThreadTellsIsNoErrorAndStays() {
        assertThrows(
                InterruptedIOException.class,
                () -> intercept(
                        () -> {
                            Thread.currentThread().interrupt();
                            throw new InterruptedIOException("interrupted");
                        },
                        NONE));
        assertTrue(Thread.interrupted());
        assertAborted();
    }

    @Test
    void aCancelledStageIsNoErrorAndIsRecordedOnce() {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        assertSame(stage, interceptAsync(stage, NONE));
        assertEquals(List.of(), host.calls());
        stage.cancel(true);
        stage.obtrudeValue(7);
        assertAborted();
    }

    @Test
    void aSupplierThatThrowsIsRecordedAndOneWithoutAStageToo() {
        IllegalStateException thrown = new IllegalStateException();
        assertSame(
                thrown,
                assertThrows(
                        Exception.class,
                        () -> ModelCalls.interceptAsync(
                                host,
                                "greeting",
                                "ada",
                                () -> {
                                    throw thrown;
                                },
                                NONE)));
        assertNull(interceptAsync(null, NONE));
        assertEquals(2, host.calls().size());
    }

    @Test
    void ofNestedInterceptionsTheOutermostRecords() throws Exception {
        assertEquals(CHAT, intercept(() -> intercept(() -> CHAT, null), NONE));
        intercept(() -> interceptAsync(CompletableFuture.completedFuture(CHAT), null), NONE);
        assertEquals(4, host.events.size());
        assertFalse(host.calls().get(0).containsKey("model"));
        intercept(() -> CHAT, null);
        assertEquals(6, host.events.size());
    }

    @Test
    void aThreadThatTheCallStartsDoesNotKnowOfIt() throws Exception {
        intercept(
                () -> CompletableFuture.supplyAsync(() -> {
                            try {
                                return intercept(() -> CHAT, null);
                            } catch (Exception e) {
                                throw new CompletionException(e);
                            }
                        })
                        .get(),
                NONE);
        assertEquals(2, host.calls().size());
    }

    @Test
    void aCallThatFailedLeavesTheThreadFree() throws Exception {
        assertThrows(IOException.class, () -> intercept(throwing(new IOException()), NONE));
        intercept(() -> CHAT, null);
        assertEquals(2, host.calls().size());
    }

    @Test
    void withoutAVariantTheCallIsOnlyMade() throws Exception {
        assertEquals(7, ModelCalls.intercept(host, "unknown", "ada", () -> 7, NONE));
        assertEquals(7, ModelCalls.intercept(host, "greeting", null, () -> 7, NONE));
        CompletableFuture<Integer> stage = CompletableFuture.completedFuture(7);
        assertSame(stage, ModelCalls.interceptAsync(host, "unknown", "ada", () -> stage, NONE));
        assertEquals(List.of(), host.events);
        assertEquals(List.of("model call without a user: use withUser or CallOptions.user"), host.warnings);
    }

    @Test
    void anExtractorThatThrowsCostsOnlyWhatItWouldTell() throws Exception {
        assertEquals(7, intercept(() -> 7, result -> {
            throw new IOException("mine");
        }));
        assertFalse((boolean) onlyCall().get("error"));
        assertEquals(List.of("extractor threw"), host.warnings);
    }

    @Test
    void anExtractorThatIsInterruptedLeavesTheInterrupt() throws Exception {
        assertEquals(7, intercept(() -> 7, result -> {
            throw new InterruptedException();
        }));
        assertTrue(Thread.interrupted());
    }

    @Test
    void aNameThatTheServiceWouldRefuseIsCut() throws Exception {
        ModelCallFacts facts =
                ModelCallFacts.builder().errorType("x".repeat(300)).build();
        intercept(() -> 7, result -> facts);
        assertEquals("x".repeat(200), onlyCall().get("error_type"));
    }

    @Test
    void masksTheTextsBeforeTheyAreCut() throws Exception {
        ModelCallFacts facts = ModelCallFacts.builder()
                .prompt("a".repeat(100_000))
                .response("secret")
                .build();
        host.mask = (text, part) -> part + " " + text.length();
        intercept(() -> 7, result -> facts);
        host.mask = (text, part) -> {
            throw new IllegalStateException();
        };
        intercept(() -> 7, result -> facts);
        host.mask = (text, part) -> null;
        intercept(() -> 7, result -> facts);
        host.mask = null;
        intercept(() -> 7, result -> facts);
        List<Map<String, Object>> calls = host.calls();
        assertEquals("PROMPT 100000", calls.get(0).get("prompt"));
        assertEquals("RESPONSE 6", calls.get(0).get("response"));
        assertEquals(null, calls.get(1).get("prompt"));
        assertEquals(null, calls.get(2).get("response"));
        assertEquals("a".repeat(65_528) + "…[cut]", calls.get(3).get("prompt"));
        assertEquals(List.of("mask threw", "mask threw"), host.warnings);
    }

    @Test
    void aClientThatBreaksIsNotTheCallersTrouble() throws Exception {
        Host broken = (Host) Proxy.newProxyInstance(
                Host.class.getClassLoader(), new Class<?>[] {Host.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("findAssignment")) {
                        return host.findAssignment("greeting", "ada", null);
                    }
                    throw new LinkageError(method.getName());
                });
        assertEquals(7, ModelCalls.intercept(broken, "greeting", "ada", () -> 7, NONE));
        assertEquals(7, ModelCalls.intercept(broken, "greeting", null, () -> 7, NONE));
    }
}
