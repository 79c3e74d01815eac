package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.Child;
import dev.assay.support.ScenarioServer;
import dev.assay.support.SpringShop;
import dev.assay.support.Vectors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A deployed Spring Boot application that is replaced: SIGTERM while requests still run. */
class SpringBootTest {
    private static final Pattern TRACKED = Pattern.compile("tracked (\\d+)");

    @TempDir
    Path folder;

    @ParameterizedTest(name = "nothing is lost by SIGTERM (store: {0}, outage: {1})")
    @CsvSource({"false, false", "true, false", "true, true"})
    void losesNothing(boolean hasStore, boolean isOutage) throws Exception {
        Map<String, Object> config = Map.of("config_version", 1, "experiments", List.of());
        Map<String, Object> ack = Map.of("accepted", 1, "config_version", 1, "rejected", List.of());
        Map<String, Object> answer = isOutage ? Map.of("status", 503) : Map.of("status", 202, "body", ack);
        ScenarioServer.get()
                .install(Map.of(
                        "/v1/config", List.of(Map.of("status", 200, "body", config)), "/v1/events", List.of(answer)));
        Child child = Child.start(SpringShop.class, hasStore ? folder : null);
        while (!child.output().contains("at work")) Thread.sleep(10);
        child.terminate();
        assertEquals(143, child.exitCode(), child.output());
        Matcher tracked = TRACKED.matcher(child.output());
        assertTrue(tracked.find(), child.output());
        TreeSet<String> wanted = new TreeSet<>();
        for (int i = Integer.parseInt(tracked.group(1)) - 1; i >= 0; i--) wanted.add("e" + i);
        assertTrue(wanted.size() > 60, "it tracks while it ends: " + wanted.size());
        TreeSet<String> found = new TreeSet<>();
        if (!isOutage) sent().forEach(found::add);
        kept().forEach(found::add);
        assertEquals(wanted, found, child.output());
    }

    private static Stream<String> sent() throws Exception {
        return ScenarioServer.get().requests().stream()
                .filter(request -> "/v1/events".equals(request.get("path")))
                .flatMap(request ->
                        Vectors.objects(Vectors.object(Json.parse((String) request.get("body")))
                                        .get("events"))
                                .stream())
                .map(event -> (String) event.get("event_id"));
    }

    private Stream<String> kept() throws Exception {
        try (Stream<Path> paths = Files.list(folder)) {
            List<Path> files =
                    paths.filter(path -> path.toString().endsWith(".ndjson")).collect(Collectors.toList());
            TreeSet<String> ids = new TreeSet<>();
            for (Path file : files) {
                for (String line : Files.readAllLines(file)) {
                    ids.add((String)
                            Vectors.object(Vectors.object(Json.parse(line)).get("event"))
                                    .get("event_id"));
                }
            }
            return ids.stream();
        }
    }
}
