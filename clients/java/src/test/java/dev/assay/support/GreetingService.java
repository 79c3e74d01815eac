package dev.assay.support;

import dev.assay.internal.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The scenario server as a service with one experiment, "greeting", in which everybody gets the variant
 * "short".
 */
public final class GreetingService {
    private final ScenarioServer server = ScenarioServer.get();

    /** Restarts it. */
    public GreetingService() throws IOException, InterruptedException {
        answer(Map.of());
    }

    /** Restarts it, with additional replies on other paths. */
    public void answer(Map<String, ?> replies) throws IOException, InterruptedException {
        Map<String, Object> scenario = new LinkedHashMap<>(Vectors.object(resource("greeting-service.json")));
        scenario.putAll(replies);
        server.install(scenario);
    }

    /** Returns the environment of a program that uses it. */
    public Map<String, String> environment() {
        return Map.of("ASSAY_API_KEY", "svc_pk_1", "ASSAY_BASE_URL", server.url());
    }

    /** Returns its base URL. */
    public String url() {
        return server.url();
    }

    /** Returns the events that have arrived, oldest first. */
    public List<Map<String, Object>> events() throws IOException, InterruptedException {
        List<Map<String, Object>> events = new ArrayList<>();
        for (String body : bodiesAt("/v1/events")) {
            events.addAll(Vectors.objects(Vectors.object(Json.parse(body)).get("events")));
        }
        return events;
    }

    /** Returns the events of a type that have arrived, oldest first. */
    public List<Map<String, Object>> events(String type) throws IOException, InterruptedException {
        return events().stream().filter(event -> type.equals(event.get("type"))).collect(Collectors.toList());
    }

    /** Returns the requests that were sent to a path. */
    public List<String> bodiesAt(String path) throws IOException, InterruptedException {
        return server.requests().stream()
                .filter(request -> path.equals(request.get("path")))
                .map(request -> (String) request.get("body"))
                .collect(Collectors.toList());
    }

    /** Reads a JSON file from the tests' resources. */
    public static Object resource(String name) throws IOException {
        return Json.parse(
                Files.readString(Build.client().resolve("src/test/resources").resolve(name)));
    }
}
