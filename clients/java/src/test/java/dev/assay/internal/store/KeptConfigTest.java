package dev.assay.internal.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.AssayClient;
import dev.assay.AssayClientBuilder;
import dev.assay.internal.json.Json;
import dev.assay.internal.log.ClientLog;
import dev.assay.support.RecordingLog;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import dev.assay.support.VirtualClient;
import dev.assay.support.VirtualRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class KeptConfigTest {
    private static final Map<String, Object> VECTORS = Vectors.read("kept-config");
    private static final String API_KEY = (String) VECTORS.get("api_key");
    private static final String NAME = "config-" + VECTORS.get("key_hash") + ".json";
    private static final String NOW = (String) VECTORS.get("now");
    private static final Clock CLOCK = Clock.fixed(Instant.parse(NOW), ZoneOffset.UTC);

    @TempDir
    Path parent;

    @TestFactory
    Stream<DynamicTest> keptConfig() {
        return Vectors.tests("kept-config", this::check);
    }

    private void check(Map<String, Object> vector) {
        try {
            Path folder = Files.createTempDirectory(parent, "kept");
            String url = ScenarioServer.get().url();
            String text = vector.get("file") == null ? null : ((String) vector.get("file")).replace("{base_url}", url);
            if (text != null) Files.writeString(folder.resolve(NAME), text);
            VirtualRun run = new VirtualRun(Map.of(VirtualClient.CONFIG, Vectors.list(vector.get("replies"))));
            VirtualClient client = new VirtualClient(run, API_KEY, 0.5, 60_000);
            client.useKeptConfig(folder, API_KEY, CLOCK);
            assertEquals(vector.get("at_once"), client.assign("greeting", "u"));
            assertEquals(vector.get("at_once") != null, client.polling.snapshot() != null);
            run.runUntil(0);
            assertEquals(1, client.sentAt(VirtualClient.CONFIG).size());
            assertEquals(vector.get("after_poll"), client.assign("greeting", "u"));
            checkFile(vector, folder, text, url);
            checkLog(vector, client.lines.lines());
            client.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void checkFile(Map<String, Object> vector, Path folder, String before, String url) throws Exception {
        Path file = folder.resolve(NAME);
        Object kept = vector.get("kept");
        assertEquals(kept == null ? List.of() : List.of(NAME), names(folder));
        if (kept == null) return;
        if (kept.equals("unchanged")) {
            assertEquals(before, Files.readString(file));
            return;
        }
        Map<String, Object> fields = Vectors.object(Json.parse(Files.readString(file)));
        Object config = fields.remove("config");
        assertEquals(Map.of("v", 1L, "key_hash", VECTORS.get("key_hash"), "base_url", url, "kept_at", NOW), fields);
        Map<String, Object> reply = Vectors.objects(vector.get("replies")).get(0);
        assertEquals(reply.get("body"), config);
        assertEquals(kept, Vectors.object(config).get("config_version"));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    private static void checkLog(Map<String, Object> vector, List<String> lines) {
        List<String> unreadable = linesWith(lines, "unreadable kept config");
        assertEquals(vector.get("unreadable"), (long) unreadable.size(), lines::toString);
        List<String> inUse = linesWith(lines, "kept config in use");
        Object seconds = vector.get("in_use_seconds");
        assertEquals(seconds == null ? 0 : 1, inUse.size(), lines::toString);
        if (seconds != null) assertTrue(inUse.get(0).contains(" " + seconds + " s"), inUse::toString);
    }

    private static List<String> linesWith(List<String> lines, String words) {
        return lines.stream().filter(line -> line.contains(words)).collect(Collectors.toList());
    }

    private static List<String> names(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toList());
        }
    }

    @Test
    void aClientThatRestartsInAnOutageAssignsAtOnce() throws Exception {
        script(Map.of("status", 200, "body", config("v1")));
        List<String> before;
        try (AssayClient first = builder(new RecordingLog()).build()) {
            assertTrue(first.awaitReady(Duration.ofSeconds(30)));
            before = variants(first);
            assertTrue(before.containsAll(List.of("v1", "other")));
            while (!Files.exists(parent.resolve(NAME))) Thread.sleep(5);
        }
        script(Map.of("status", 503));
        RecordingLog lines = new RecordingLog();
        try (AssayClient second = builder(lines).build()) {
            assertTrue(second.awaitReady(Duration.ZERO));
            assertEquals(before, variants(second));
            while (linesWith(lines.lines(), "kept config in use").isEmpty()) Thread.sleep(5);
        }
        AssayClientBuilder builder = builder(new RecordingLog()).bootstrap(Json.write(config("given")));
        try (AssayClient third = builder.build()) {
            assertTrue(variants(third).contains("given"));
        }
    }

    private static List<String> variants(AssayClient client) {
        return IntStream.range(0, 10_000)
                .mapToObj(i -> client.assign("greeting", "user-" + i))
                .collect(Collectors.toList());
    }

    @Test
    void over4MebibytesAreNeitherWrittenNorRead() throws Exception {
        RecordingLog lines = new RecordingLog();
        KeptConfig kept = new KeptConfig(parent, API_KEY, "http://a", CLOCK, new ClientLog(lines, System::nanoTime));
        kept.keep(Map.of("config_version", 1L, "experiments", List.of(), "x", "x".repeat(4 << 20)));
        assertFalse(Files.exists(parent.resolve(NAME)));
        Files.writeString(parent.resolve(NAME), " ".repeat((4 << 20) + 1));
        assertNull(kept.read());
        assertEquals(2, lines.lines().size(), lines.lines()::toString);
    }

    private AssayClientBuilder builder(RecordingLog lines) throws Exception {
        return AssayClient.builder()
                .apiKey(API_KEY)
                .baseUrl(ScenarioServer.get().url() + "/")
                .trackExposures(false)
                .offlineStore(parent)
                .logger(lines);
    }

    private static Map<String, Object> config(String variant) {
        Map<String, Object> experiment = Map.of(
                "id", "1",
                "name", "greeting",
                "status", "running",
                "salt", "s",
                "bucket_count", 1_000,
                "buckets", List.of(List.of(300, 0), List.of(1_000, 1)),
                "variants", List.of(Map.of("key", variant), Map.of("key", "other")));
        return Map.of("config_version", 1, "experiments", List.of(experiment));
    }

    private static void script(Object reply) throws Exception {
        ScenarioServer.get().install(Map.of("/v1/config", List.of(reply)));
    }
}
