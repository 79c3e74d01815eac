package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.support.Build;
import dev.assay.support.Command;
import dev.assay.support.GreetingService;
import dev.assay.support.Vectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Runs the programs of the README unchanged, as readers would. Only the environment comes from here. */
class ReadmeTest {
    private static final Pattern PROGRAM = Pattern.compile("```java\\n// (\\S+\\.java)\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern COORDINATES =
            Pattern.compile("<groupId>(.+)</groupId>\\s*<artifactId>(.+)</artifactId>\\s*<version>(.+)</version>");
    private static final String PROMPT = "Answer in one sentence.";
    private static final String ANSWER = "A share of the users.";

    @TempDir
    private Path folder;

    private GreetingService service;

    @BeforeEach
    void startService() throws Exception {
        service = new GreetingService();
    }

    @TestFactory
    Stream<DynamicTest> aModelCallIsAnsweredAndReported() throws IOException {
        return modelCalls().stream().map(example -> {
            String program = (String) example.get("program");
            return DynamicTest.dynamicTest(program, () -> {
                String path = (String) example.get("path");
                service.answer(Map.of(path, List.of(example.get("reply"))));

                assertPrints(ANSWER + "\n", run(program));

                assertTrue(service.bodiesAt(path).get(0).contains(PROMPT), "the variant's prompt is asked");
                assertFalse(service.events("exposure").isEmpty());
                assertEquals(1, service.events("model_call").size());
                assertReports(example, service.events("model_call").get(0));
            });
        });
    }

    private static void assertReports(Map<String, Object> example, Map<String, Object> call) {
        Map<String, Object> expected = new TreeMap<>(Vectors.object(example.get("call")));
        expected.putAll(Map.of("user_id", "ann", "variant", "short", "error", false, "response", ANSWER));
        expected.putAll(Map.of("input_tokens", 21L, "output_tokens", 6L));
        assertHolds(expected, call);
        assertTrue(call.get("prompt").toString().contains("What is a bucket?"));
        assertTrue(((Number) call.get("latency_ms")).doubleValue() > 0);
        assertEquals(example.get("streams"), call.containsKey("time_to_first_token_ms"));
    }

    @Test
    void firstStepsAssignReadContentAndDeliverTheOutcome() throws Exception {
        assertPrints("short, " + PROMPT + ", 0.2\n", run("FirstSteps.java"));
        assertEquals(
                List.of("exposure", "business_event"),
                service.events().stream().map(event -> event.get("type")).collect(Collectors.toList()));
    }

    @Test
    void aCallOfSomethingElseIsReportedWithWhatTheExtractorRead() throws Exception {
        assertPrints("Really? Yes.\n", run("Other.java"));
        Map<String, Object> expected = Map.of("model", "in-house-1", "input_tokens", 4L, "output_tokens", 1L);
        assertHolds(expected, service.events("model_call").get(0));
        assertHolds(
                Map.of("response", "Really? Yes."), service.events("model_call").get(0));
    }

    @Test
    void anAgentReportsItsToolCallAndTheEndOfItsRun() throws Exception {
        assertPrints("3 hits\n", run("AgentRun.java"));
        Map<String, Object> call = service.events().get(0);
        assertEquals("{\"query\":\"buckets\"}", call.get("tool_arguments"));
        assertEquals("3 hits", call.get("tool_result"));
        assertEquals("support", call.get("agent_name"));
        assertEquals(
                List.of("tool_call ann run-4", "run_end ann run-4"),
                service.events().stream()
                        .map(event -> event.get("type") + " " + event.get("user_id") + " " + event.get("run_id"))
                        .collect(Collectors.toList()));
    }

    @Test
    void aConversationIsAssignedAndNamed() throws Exception {
        Map<String, Object> scenario = Vectors.object(GreetingService.resource("greeting-service.json"));
        Map<String, Object> reply = Vectors.objects(scenario.get("/v1/config")).get(0);
        Map<String, Object> experiment = Vectors.objects(
                        Vectors.object(reply.get("body")).get("experiments"))
                .get(0);
        experiment.put("unit", "conversation");
        service.answer(Map.of("/v1/config", List.of(reply)));
        assertPrints("short\n" + PROMPT + "\n", run("Conversation.java"));
        assertEquals(
                List.of("conversation-17", "conversation-18"),
                service.events("exposure").stream()
                        .map(event -> event.get("unit_id"))
                        .collect(Collectors.toList()));
    }

    @Test
    void everyProgramIsRunHere() throws IOException {
        TreeSet<Object> run =
                new TreeSet<>(List.of("AgentRun.java", "Conversation.java", "FirstSteps.java", "Other.java"));
        for (Map<String, Object> example : modelCalls()) run.add(example.get("program"));
        assertEquals(run, programs().keySet());
    }

    @Test
    void theCoordinatesAreThoseOfTheBuild() throws IOException {
        Matcher coordinates =
                COORDINATES.matcher(Files.readString(Build.client().resolve("pom.xml")));
        assertTrue(coordinates.find());
        String version = coordinates.group(3);
        String gradle = String.join(":", coordinates.group(1), coordinates.group(2), version);
        String maven = "<version>" + version + "</version>";
        for (String told : List.of(gradle, maven, "assay-client-" + version + ".jar")) {
            assertTrue(readme().contains(told), told);
        }
    }

    private Command run(String program) throws IOException, InterruptedException {
        Files.writeString(folder.resolve(program), programs().get(program));
        Map<String, String> environment = new HashMap<>(service.environment());
        for (String name : List.of("OPENAI", "ANTHROPIC", "GOOGLE")) environment.put(name + "_API_KEY", "k");
        environment.put("OPENAI_BASE_URL", service.url() + "/openai");
        environment.put("ANTHROPIC_BASE_URL", service.url() + "/anthropic");
        environment.put("GOOGLE_GEMINI_BASE_URL", service.url() + "/google");
        // Most programs need the client alone; Maven brings the libraries that it wraps.
        String path = program.endsWith("Wrapped.java")
                ? System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                : Build.classes().toString();
        List<String> command = List.of(Build.tool("java"), "-cp", path, program);
        return Command.run(folder, environment, command);
    }

    private static void assertPrints(String output, Command ended) {
        assertEquals(output, ended.output, ended.toString());
        assertEquals("", ended.errors);
        assertEquals(0, ended.exitCode);
    }

    private static void assertHolds(Map<String, Object> expected, Map<String, Object> event) {
        Map<String, Object> selected = new TreeMap<>(event);
        selected.keySet().retainAll(expected.keySet());
        assertEquals(new TreeMap<>(expected), selected);
    }

    private static List<Map<String, Object>> modelCalls() throws IOException {
        return Vectors.objects(GreetingService.resource("readme-calls.json"));
    }

    private static Map<Object, String> programs() throws IOException {
        Map<Object, String> programs = new TreeMap<>();
        Matcher matcher = PROGRAM.matcher(readme());
        while (matcher.find()) programs.put(matcher.group(1), matcher.group(2));
        return programs;
    }

    private static String readme() throws IOException {
        return Files.readString(Build.client().resolve("README.md"));
    }
}
