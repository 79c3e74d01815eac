package dev.assay.internal.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import dev.assay.support.VirtualClient;
import dev.assay.support.VirtualRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class SpillVectorsTest {
    private static final Map<String, Object> VECTORS = Vectors.read("spill");
    private static final String API_KEY = (String) VECTORS.get("api_key");
    private static final Map<String, Object> NO_EXPERIMENTS =
            Map.of("status", 200, "body", Map.of("config_version", 1, "experiments", List.of()));
    /** Long enough for every retry and two more polls. */
    private static final long RUN_MS = 170_000;

    @TempDir
    Path parent;

    @TestFactory
    Stream<DynamicTest> spill() {
        return Vectors.tests("spill", this::check);
    }

    private void check(Map<String, Object> vector) {
        try {
            Path folder = Files.createTempDirectory(parent, "spill");
            for (Map<String, Object> file : Vectors.objects(vector.get("files"))) write(folder, file);
            List<VirtualClient> clients = play(vector, folder);
            assertEquals(eventsOf(Vectors.objects(vector.get("accepted"))), eventsOf(accepted(vector)));
            List<Object> untouched = Vectors.list(vector.get("untouched"));
            List<String> kept = Vectors.list(vector.get("kept")).stream()
                    .map(String::valueOf)
                    .collect(Collectors.toList());
            assertEquals(kept, keptIds(folder, untouched));
            for (Map<String, Object> file : Vectors.objects(vector.get("files"))) {
                if (!untouched.contains(file.get("name"))) continue;
                assertEquals(file.get("text"), Files.readString(folder.resolve((String) file.get("name"))));
            }
            Map<String, Object> log = Vectors.object(vector.get("log"));
            assertEquals(log.getOrDefault("expired", 0L), counted(clients, "over 24 h old"));
            assertEquals(log.getOrDefault("unreadable", 0L), counted(clients, "unreadable"));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void write(Path folder, Map<String, Object> file) throws IOException {
        Path path = Files.writeString(folder.resolve((String) file.get("name")), (String) file.get("text"));
        long ageSeconds = Vectors.integer(file.get("age_seconds"));
        Files.setLastModifiedTime(path, FileTime.from(Instant.now().minusSeconds(ageSeconds)));
    }

    private static List<VirtualClient> play(Map<String, Object> vector, Path folder) throws Exception {
        List<Object> answers = Vectors.list(vector.get("answers")).stream()
                .map(SpillVectorsTest::toReply)
                .collect(Collectors.toList());
        VirtualRun run =
                new VirtualRun(Map.of(VirtualClient.CONFIG, List.of(NO_EXPERIMENTS), VirtualClient.EVENTS, answers));
        Clock clock = Clock.fixed(Instant.parse((String) vector.get("now")), ZoneOffset.UTC);
        List<VirtualClient> clients = new ArrayList<>();
        for (long i = Vectors.integer(vector.get("clients")); i > 0; i--) {
            VirtualClient client = new VirtualClient(run, API_KEY, 0.5, 60_000);
            client.useStore(folder, API_KEY, clock);
            clients.add(client);
        }
        for (Map<String, Object> event : Vectors.objects(vector.get("tracked"))) {
            clients.get(0).track((String) event.get("type"), event);
        }
        clients.get(0).delivery.flush();
        run.runUntil(RUN_MS);
        clients.forEach(VirtualClient::close);
        return clients;
    }

    private static Object toReply(Object answer) {
        if (answer.equals("reset")) return answer;
        if (answer instanceof String) {
            return Map.of("status", 429, "body", Map.of("type", "https://assay.dev/problems/" + answer));
        }
        boolean isAck = Vectors.integer(answer) == 202;
        Map<String, Object> ack = Map.of("accepted", 1, "config_version", 1, "rejected", List.of());
        return Map.of("status", answer, "body", isAck ? ack : Map.of());
    }

    /** The events that the script's answers accepted, in the order of the requests. */
    private static List<Map<String, Object>> accepted(Map<String, Object> vector) throws Exception {
        List<Object> answers = Vectors.list(vector.get("answers"));
        List<Map<String, Object>> accepted = new ArrayList<>();
        int number = 0;
        for (Map<String, Object> request : ScenarioServer.get().requests()) {
            if (!VirtualClient.EVENTS.equals(request.get("path"))) continue;
            Object answer = answers.get(Math.min(number++, answers.size() - 1));
            Map<String, Object> body = Vectors.object(Json.parse((String) request.get("body")));
            if (Long.valueOf(202).equals(answer)) accepted.addAll(Vectors.objects(body.get("events")));
        }
        return accepted;
    }

    private static List<String> eventsOf(List<Map<String, Object>> events) {
        return events.stream()
                .map(event -> event.get("event_id") + " " + event.get("timestamp"))
                .sorted()
                .collect(Collectors.toList());
    }

    private static List<String> keptIds(Path folder, List<Object> untouched) throws IOException {
        List<String> ids = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.collect(Collectors.toList())) {
                String name = file.getFileName().toString();
                if (untouched.contains(name)) continue;
                assertTrue(name.startsWith("spill-" + VECTORS.get("key_hash") + "-"), name);
                for (String line : Files.readAllLines(file)) {
                    Map<String, Object> fields = Vectors.object(Json.parse(line));
                    assertEquals(1L, fields.get("v"));
                    ids.add((String) Vectors.object(fields.get("event")).get("event_id"));
                }
            }
        }
        return ids.stream().sorted().collect(Collectors.toList());
    }

    private static long counted(List<VirtualClient> clients, String words) {
        return clients.stream()
                .flatMap(client -> client.lines.lines().stream())
                .filter(line -> line.contains(words))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(": ") + 2)))
                .sum();
    }
}
