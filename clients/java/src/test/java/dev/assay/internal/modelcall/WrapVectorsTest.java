package dev.assay.internal.modelcall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.assay.internal.json.Json;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The vectors of wrapped provider libraries, for an application without one ({@code WrapLibrariesTest} has the
 * libraries): the application posts the request within {@code interceptModelCall} and reads the answer by {@code ModelCallFacts.fromWire}. What differs,
 * and why:
 *
 * <ul>
 *   <li>The client does not change requests. A case whose {@code sent} differs from its {@code args} has no
 *       counterpart.
 *   <li>Errors are named after the provider's answer or the exception, not after a class of the provider's
 *       library. Where the caller has {@code seen} an error, any {@code error_type} is accepted.
 *   <li>A call that throws (the connection breaks, the caller cancels) has no result: only its failure is
 *       recorded.
 *   <li>A caller that leaves a stream early returns what it has: the call does not count as aborted.
 *   <li>{@code seen} is a library's reading of an answer and is not compared: here the call returns its own
 *       object.
 *   <li>The client sees no base URL, so {@code provider} is the name of the API.
 *   <li>A chat belongs to Google's library: {@code google-chats.json} has no counterpart.
 * </ul>
 */
class WrapVectorsTest {
    private static final Set<String> OF_A_THROWN_CALL =
            Set.of("type", "experiment_id", "user_id", "variant", "latency_ms", "error", "error_type", "metadata");
    private static final Object ANY_TEXT = Map.of("$", "any_text");

    private static final Map<String, Integer> RUN = new TreeMap<>();
    private static final Map<String, List<String>> WITHOUT_COUNTERPART = new TreeMap<>();

    @TestFactory
    Stream<DynamicTest> openaiChat() {
        return tests("wrap/openai-chat");
    }

    @TestFactory
    Stream<DynamicTest> openaiCompletions() {
        return tests("wrap/openai-completions");
    }

    @TestFactory
    Stream<DynamicTest> openaiEmbeddings() {
        return tests("wrap/openai-embeddings");
    }

    @TestFactory
    Stream<DynamicTest> openaiResponses() {
        return tests("wrap/openai-responses");
    }

    @TestFactory
    Stream<DynamicTest> anthropicMessages() {
        return tests("wrap/anthropic-messages");
    }

    @TestFactory
    Stream<DynamicTest> googleGenerateContent() {
        return tests("wrap/google-generate-content");
    }

    @TestFactory
    Stream<DynamicTest> googleChats() {
        return withoutCounterpart("wrap/google-chats", "name", "a chat belongs to Google's library");
    }

    @AfterAll
    static void sayHowManyRan() {
        RUN.forEach((file, count) -> System.out.println("vectors/" + file + ".json: " + count + " run, "
                + WITHOUT_COUNTERPART.get(file).size() + " without a counterpart "
                + WITHOUT_COUNTERPART.get(file)));
    }

    /** Reports each case as skipped, with the reason. */
    private static Stream<DynamicTest> withoutCounterpart(String file, String title, String reason) {
        RUN.put(file, 0);
        List<String> titles = Vectors.cases(file).stream()
                .map(vector -> (String) vector.get(title))
                .collect(Collectors.toList());
        WITHOUT_COUNTERPART.put(file, titles);
        return titles.stream().map(name -> DynamicTest.dynamicTest(file + ".json: " + name, () -> abort(reason)));
    }

    private static Stream<DynamicTest> tests(String file) {
        RUN.put(file, 0);
        WITHOUT_COUNTERPART.put(file, new ArrayList<>());
        Map<String, Object> vectors = Vectors.read(file);
        return Vectors.tests(file, vector -> {
            if (!isSentAsGiven(vector)) {
                WITHOUT_COUNTERPART.get(file).add((String) vector.get("name"));
                abort("the client changes no request");
            }
            RUN.merge(file, 1, Integer::sum);
            try {
                run(vectors, vector, file.substring("wrap/".length()).split("-")[0]);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private static boolean isSentAsGiven(Map<String, Object> vector) {
        Map<String, Object> args = Vectors.object(vector.get("args"));
        Object sent = vector.getOrDefault("sent", Map.of());
        return Vectors.object(sent).entrySet().stream()
                .allMatch(field -> Objects.equals(field.getValue(), args.get(field.getKey())));
    }

    private static void run(Map<String, Object> vectors, Map<String, Object> vector, String api) throws Exception {
        ScenarioServer.get().install(Vectors.object(vector.get("scenario")));
        RecordingHost host = new RecordingHost(vectors.get("config"));
        ProviderCall call = new ProviderCall(vector, Vectors.integer(vectors.get("max_retries")));
        boolean isThrown = false;
        try {
            String experiment = (String) vectors.get("experiment");
            String user = (String) vectors.get("user");
            assertSame(call, ModelCalls.intercept(host, experiment, user, call, ProviderCall::facts));
        } catch (IOException | CancellationException thrown) {
            isThrown = true;
        }
        boolean mustThrow = vector.get("consume").toString().contains("abort_after")
                || Json.write(vector.get("scenario")).contains("\"reset\"");
        assertEquals(mustThrow, isThrown);
        assertEquals(vector.getOrDefault("requests", 1L), (long)
                ScenarioServer.get().requests().size());
        Object status = Vectors.object(vector.get("seen")).get("status");
        assertEquals(status == null ? isThrown ? call.status() : 200L : status, (long) call.status());
        ExpectedEvents.assertEvents(expectedEvents(vector, api, isThrown), host.events);
    }

    private static List<Map<String, Object>> expectedEvents(Map<String, Object> vector, String api, boolean isThrown) {
        boolean isLeft = vector.get("consume").toString().contains("break_after");
        boolean hasSeenError = Vectors.object(vector.get("seen")).containsKey("error");
        List<Map<String, Object>> events = new ArrayList<>();
        for (Map<String, Object> event : Vectors.objects(vector.get("events"))) {
            Map<String, Object> expected = new LinkedHashMap<>(event);
            expected.computeIfPresent("provider", (field, host) -> api);
            if (hasSeenError) {
                expected.computeIfPresent("error_type", (field, type) -> ANY_TEXT);
            }
            if (isThrown) {
                expected.keySet().retainAll(OF_A_THROWN_CALL);
            }
            // Left by itself, a stream of the JDK's client ends; of a call that threw, the request is not read.
            Map<String, Object> metadata =
                    new LinkedHashMap<>(Vectors.object(expected.getOrDefault("metadata", Map.of())));
            if (isLeft) metadata.remove("outcome");
            if (isThrown) metadata.keySet().retainAll(Set.of("outcome"));
            expected.remove("metadata");
            if (!metadata.isEmpty()) expected.put("metadata", metadata);
            events.add(expected);
        }
        return events;
    }
}
