package dev.assay.internal.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.assay.CallOptions;
import dev.assay.internal.json.Json;
import dev.assay.internal.modelcall.ExpectedEvents;
import dev.assay.internal.modelcall.RecordingHost;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The vectors of wrapped provider libraries, run with the libraries themselves: each case with the blocking client
 * and with the asynchronous one. Errors have Java class names, so any name is accepted.
 */
class WrapLibrariesTest {
    private static final Object ANY_TEXT = Map.of("$", "any_text");

    @TestFactory
    Stream<DynamicTest> recordsEachCallOnce() {
        return Stream.of(
                        "openai-chat",
                        "openai-completions",
                        "openai-embeddings",
                        "openai-responses",
                        "anthropic-messages")
                .flatMap(file -> Vectors.cases("wrap/" + file).stream()
                        .flatMap(vector -> Stream.of(false, true)
                                .map(isAsync -> DynamicTest.dynamicTest(
                                        file + ".json: " + vector.get("name") + (isAsync ? " (async)" : ""),
                                        () -> run(Vectors.read("wrap/" + file), vector, isAsync)))));
    }

    private static void run(Map<String, Object> vectors, Map<String, Object> vector, boolean isAsync) throws Exception {
        ScenarioServer server = ScenarioServer.get();
        server.install(Vectors.object(vector.get("scenario")));
        RecordingHost host = new RecordingHost(vectors.get("config"));
        String experiment = (String) vectors.get("experiment");
        CallOptions options = CallOptions.create().user((String) vectors.get("user"));
        LibraryCall call = new LibraryCall(vector);
        Map<String, Object> seen = Vectors.object(vector.get("seen"));
        Throwable thrown = null;
        try {
            call.run(
                    client -> ProviderView.wrap(host, client, experiment, options),
                    client -> ProviderView.wrap(host, client, experiment, options),
                    isAsync);
        } catch (Throwable e) {
            thrown = e;
        }
        if (thrown != null && !seen.containsKey("error")) fail(thrown);
        // For an error event in a response's stream, this library throws nothing: the event is just another
        // chunk.
        boolean isErrorChunk = thrown == null && seen.containsKey("error");
        if (seen.containsKey("chunks") && !isErrorChunk)
            assertEquals(seen.get("chunks"), (long) call.seen.size(), "chunks seen");
        List<Map<String, Object>> requests = server.requests();
        assertEquals(vector.getOrDefault("requests", 1L), (long) requests.size(), "requests");
        Map<String, Object> body =
                Vectors.object(Json.parse((String) requests.get(0).get("body")));
        Vectors.object(vector.getOrDefault("sent", Map.of()))
                .forEach((field, value) -> assertEquals(value, body.get(field), "sent " + field));
        List<Map<String, Object>> expected = new ArrayList<>();
        for (Map<String, Object> event : Vectors.objects(vector.get("events"))) {
            Map<String, Object> one = new LinkedHashMap<>(event);
            if (seen.containsKey("error")) one.computeIfPresent("error_type", (field, type) -> ANY_TEXT);
            expected.add(one);
        }
        ExpectedEvents.assertEvents(expected, host.events);
    }
}
