package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.Child;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes that end in every way, in real time. */
class ProcessTest {
    private static final Object CONFIG =
            Map.of("status", 200, "body", Map.of("config_version", 1, "experiments", List.of()));
    private static final Object ACK =
            Map.of("status", 202, "body", Map.of("accepted", 1, "config_version", 1, "rejected", List.of()));
    private static final Object OUTAGE = Map.of("status", 503);

    @TempDir
    Path folder;

    @BeforeEach
    void answer() throws Exception {
        script(ACK);
    }

    @ParameterizedTest(name = "a process that ends by {0} delivers what it tracked")
    @CsvSource({"end, 0", "exit, 3", "throw, 1", "close, 0"})
    void deliversAtItsEnd(String program, int exitCode) throws Exception {
        Child child = Child.start(null, program, "150");
        assertEquals(exitCode, child.exitCode(), child.output());
        assertEquals(ids(150), sorted(sentIds()));
        assertFalse(child.output().contains("assay]"), child.output());
    }

    @Test
    void doesNotWaitForAChangeOfTheConfig() throws Exception {
        Map<String, Object> config = new HashMap<>(Vectors.object(CONFIG));
        config.put("headers", Map.of("etag", "\"1\""));
        String wait = "/v1/config?wait=30";
        ScenarioServer.get()
                .install(Map.of("/v1/config", List.of(config), wait, List.of("hang"), "/v1/events", List.of(ACK)));
        Child child = Child.start(null, "wait", "150");
        while (ScenarioServer.get().requests().stream().noneMatch(request -> wait.equals(request.get("path")))) {
            Thread.sleep(10);
        }
        long begin = System.nanoTime();
        child.endInput();
        assertEquals(0, child.exitCode(), child.output());
        assertTrue(System.nanoTime() - begin < 15e9, "its wait takes 30 s");
        assertEquals(ids(150), sorted(sentIds()));
    }

    @ParameterizedTest(name = "a process that ends by {0} in an outage keeps what it tracked")
    @ValueSource(strings = {"end", "exit", "throw"})
    void keepsAtItsEnd(String program) throws Exception {
        script("hang");
        Child child = Child.start(folder, program, "150");
        while (sentIds().isEmpty()) Thread.sleep(10);
        long begin = System.nanoTime();
        child.exitCode();
        assertTrue(System.nanoTime() - begin < 9.5e9, "it waits for 2 s, not for the limit of a request");
        assertEquals(ids(150), sorted(keptIds()));
    }

    @Test
    void saysHowMuchIsLostWithoutAStore() throws Exception {
        script(OUTAGE);
        Child child = Child.start(null, "exit", "7");
        child.exitCode();
        // By chance, all tries may fit into the time.
        assertTrue(
                Pattern.compile("\\[assay\\] event given up, .*: 7\n")
                        .matcher(child.output())
                        .find(),
                child.output());
    }

    @Test
    void losesNoneOf9000Events() throws Exception {
        Child child = Child.start(folder, "hasty", "9000");
        child.exitCode();
        List<String> all = new ArrayList<>(sentIds());
        all.addAll(keptIds());
        assertEquals(9_000, new HashSet<>(all).size(), child.output());
        assertFalse(child.output().contains("given up"), child.output());
    }

    @Test
    void keepsAllOf9000EventsInAnOutage() throws Exception {
        script(OUTAGE);
        Child child = Child.start(folder, "exit", "9000");
        child.exitCode();
        assertEquals(9_000, new HashSet<>(keptIds()).size(), child.output());
    }

    @Test
    void whatWasKeptBeforeAKillIsSentByTheNextProcess() throws Exception {
        script(OUTAGE);
        Child child = Child.start(folder, "stay", "10500");
        while (keptIds().isEmpty()) Thread.sleep(10);
        child.kill();
        List<String> kept = keptIds();
        assertTrue(kept.size() > 4_000, "half of a full queue: " + kept.size());
        script(ACK);
        assertEquals(0, Child.start(folder, "replay", "0").exitCode());
        assertEquals(sorted(kept), sorted(sentIds()));
    }

    @Test
    void twoProcessesSendEachEventOfAFolderOnce() throws Exception {
        script("hang");
        List<Child> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) writers.add(Child.start(folder, "end", "300", "w" + i + "-"));
        for (Child writer : writers) writer.exitCode();
        assertEquals(1_200, keptIds().size());
        script(ACK);
        Child one = Child.start(folder, "replay", "0");
        Child other = Child.start(folder, "replay", "0");
        assertEquals(List.of(0, 0), List.of(one.exitCode(), other.exitCode()));
        List<String> sent = sentIds();
        assertEquals(1_200, sent.size());
        assertEquals(1_200, new HashSet<>(sent).size());
    }

    @Test
    void aThousandClientsLeaveNothingBehind() throws Exception {
        Child child = Child.start(null, "many", "1000");
        assertEquals(0, child.exitCode(), child.output());
        // On a busy machine, the first client may have to give up its event.
        String[] lines = child.output()
                .lines()
                .filter(line -> line.contains("descriptors"))
                .toArray(String[]::new);
        assertEquals(2, lines.length, child.output());
        assertTrue(lines[1].startsWith("[] "), "threads: " + child.output());
        assertTrue(lines[1].endsWith(", 1 hooks"), child.output());
        assertTrue(descriptors(lines[1]) - descriptors(lines[0]) < 50, child.output());
    }

    private static int descriptors(String line) {
        return Integer.parseInt(line.split(" ")[1]);
    }

    private static void script(Object reply) throws Exception {
        ScenarioServer.get().install(Map.of("/v1/config", List.of(CONFIG), "/v1/events", List.of(reply)));
    }

    private static List<String> sentIds() throws Exception {
        List<String> ids = new ArrayList<>();
        for (Map<String, Object> request : ScenarioServer.get().requests()) {
            if (!"/v1/events".equals(request.get("path"))) continue;
            Map<String, Object> body = Vectors.object(Json.parse((String) request.get("body")));
            for (Map<String, Object> event : Vectors.objects(body.get("events"))) {
                ids.add((String) event.get("event_id"));
            }
        }
        return ids;
    }

    private List<String> keptIds() throws IOException {
        List<String> ids = new ArrayList<>();
        for (Path file : files()) {
            for (String line : Files.readAllLines(file)) {
                ids.add((String) Vectors.object(Vectors.object(Json.parse(line)).get("event"))
                        .get("event_id"));
            }
        }
        return ids;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(path -> path.toString().endsWith(".ndjson")).collect(Collectors.toList());
        }
    }

    private static Set<String> ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "e" + i).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> sorted(List<String> ids) {
        Set<String> sorted = new TreeSet<>(ids);
        assertEquals(ids.size(), sorted.size(), "no event twice");
        return sorted;
    }
}
