package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.AssayClient;
import dev.assay.AssayClientBuilder;
import dev.assay.internal.json.Json;
import dev.assay.support.Child;
import dev.assay.support.RecordingLog;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code durable(true)}: tracked events survive the process, however it ends. */
class DurableTest {
    private static final Map<String, Object> CONFIG =
            Map.of("status", 200, "body", Map.of("config_version", 1, "experiments", List.of()));
    private static final Map<String, Object> ACK =
            Map.of("status", 202, "body", Map.of("accepted", 1, "config_version", 1, "rejected", List.of()));
    private static final Map<String, Object> OUTAGE = Map.of("status", 503);

    @TempDir
    Path folder;

    private final RecordingLog lines = new RecordingLog();

    @BeforeEach
    void answer() throws Exception {
        script(ACK);
    }

    @ParameterizedTest(name = "{0} events of two threads survive kill -9 (outage: {1}); the next process sends them")
    @CsvSource({"2, false", "2, true", "2300, true"})
    void survivesAKill(int count, boolean isOutage) throws Exception {
        if (isOutage) script(OUTAGE);
        Child child = Child.start(folder, "durable", String.valueOf(count));
        while (!child.output().contains("tracked")) Thread.sleep(10);
        child.kill();
        script(ACK);
        assertEquals(0, Child.start(folder, "replay", "0").exitCode());
        TreeSet<String> wanted = new TreeSet<>();
        for (int i = 0; i < count; i++) wanted.addAll(List.of("e" + i, "eother" + i));
        assertEquals(wanted, new TreeSet<>(sentIds()));
    }

    @Test
    void whatIsAcknowledgedLeavesNoFile() throws Exception {
        try (AssayClient client = durable().build()) {
            assertTrue(client.awaitReady(Duration.ofSeconds(30)));
            for (int i = 0; i < 90; i++) track(client, "e" + i);
            assertEquals(1, journals().size());
            assertEquals(
                    "rw-------",
                    PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(journals().get(0))));
            assertTrue(client.flush(Duration.ofSeconds(30)));
            assertEquals(List.of(), files());
            track(client, "late");
            assertEquals(1, journals().size());
        }
        assertEquals(List.of(), files());
        assertEquals(91, sentIds().size());
    }

    @Test
    void aLiveProcessKeepsItsFileEvenIfItLooksStale() throws Exception {
        Child child = Child.start(folder, "durable", "1");
        while (!child.output().contains("tracked")) Thread.sleep(10);
        Path journal = journals().get(0);
        Files.setLastModifiedTime(journal, FileTime.fromMillis(0));
        try (AssayClient other = durable().build()) {
            assertTrue(other.awaitReady(Duration.ofSeconds(30)));
            track(other, "mine");
            assertTrue(other.flush(Duration.ofSeconds(30)));
        }
        assertEquals(List.of(journal), files());
        assertEquals(List.of("mine"), sentIds());
        child.kill();
    }

    @Test
    void inAnOutageItEndsAsAnyOther() throws Exception {
        script(OUTAGE);
        try (AssayClient client = durable().build()) {
            track(client, "kept");
            assertFalse(client.close(Duration.ofMillis(100)));
        }
        assertEquals(1, files().size());
        assertTrue(files().get(0).getFileName().toString().startsWith("spill-"));
        assertTrue(Files.readString(files().get(0)).contains("\"kept\""));
    }

    @Test
    void aFolderThatIsGoneIsAWarningAndTheEventIsSent() throws Exception {
        // A config that arrives would be kept in the folder while it is deleted.
        ScenarioServer.get().install(Map.of("/v1/config", List.of("hang"), "/v1/events", List.of(ACK)));
        try (AssayClient client = durable().offlineStore(folder.resolve("gone")).build()) {
            Files.delete(folder.resolve("gone"));
            track(client, "sent");
        }
        assertEquals(List.of("sent"), sentIds());
        assertTrue(
                lines.lines().toString().contains("event is not durable, NoSuchFileException: 1"),
                lines.lines()::toString);
    }

    @Test
    void withoutAFolderThatCanBeUsedThereIsNoClient() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        for (Path bad : new Path[] {null, file}) {
            AssayClientBuilder builder = durable().offlineStore(bad);
            assertTrue(assertThrows(IllegalStateException.class, builder::build)
                    .getMessage()
                    .contains("offlineStore"));
        }
    }

    private AssayClientBuilder durable() throws Exception {
        return AssayClient.builder()
                .apiKey("svc_pk_1")
                .baseUrl(ScenarioServer.get().url())
                .flushInterval(Duration.ofHours(1))
                .offlineStore(folder)
                .durable(true)
                .logger(lines);
    }

    private static void track(AssayClient client, String id) {
        client.track("business_event", Map.of("event_id", id, "experiment_id", "x", "user_id", "u"));
    }

    private List<Path> journals() throws IOException {
        return files().stream()
                .filter(path -> path.getFileName().toString().startsWith("claim-"))
                .collect(Collectors.toList());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(path -> path.toString().endsWith(".ndjson"))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    private static void script(Object reply) throws Exception {
        ScenarioServer.get().install(Map.of("/v1/config", List.of(CONFIG), "/v1/events", List.of(reply)));
    }

    private static List<String> sentIds() throws Exception {
        return ScenarioServer.get().requests().stream()
                .filter(request -> "/v1/events".equals(request.get("path")))
                .map(request -> Vectors.object(Json.parse((String) request.get("body"))))
                .flatMap(body -> Vectors.objects(body.get("events")).stream())
                .map(event -> (String) event.get("event_id"))
                .collect(Collectors.toList());
    }
}
