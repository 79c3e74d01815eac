package dev.assay.support;

import dev.assay.internal.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The scripted service of {@code clients/scenario-server}: one program for the whole run, one
 * scenario at a time.
 */
public final class ScenarioServer {
    private static ScenarioServer running;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Kept so that its standard input stays open as long as this process lives. */
    private final Process program;

    private final String url;

    private ScenarioServer() throws IOException {
        program = new ProcessBuilder("node", "scripts/launch.mjs", "clients/scenario-server/main.ts")
                .directory(Repository.root().toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8));
        url = out.readLine();
        if (url == null) throw new IOException("the scenario server did not start");
    }

    /** Returns this process's server; the first call starts it. */
    public static synchronized ScenarioServer get() throws IOException {
        if (running == null) running = new ScenarioServer();
        return running;
    }

    /** Returns the base URL of the service that it plays. */
    public String url() {
        return url;
    }

    /** Forgets scripts and requests, and installs a scenario: replies by path. */
    public void install(Map<String, ?> scenario) throws IOException, InterruptedException {
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString(Json.write(scenario));
        HttpResponse<String> answer =
                send(HttpRequest.newBuilder(URI.create(url + "/scenario")).PUT(body));
        if (answer.statusCode() != 204) throw new IOException("no scenario: " + answer.body());
    }

    /**
     * Returns the requests since the scenario was installed, oldest first: method, path, headers,
     * body.
     */
    public List<Map<String, Object>> requests() throws IOException, InterruptedException {
        return Vectors.objects(Json.parse(send(HttpRequest.newBuilder(URI.create(url + "/scenario/requests"))
                        .GET())
                .body()));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofString());
    }
}
