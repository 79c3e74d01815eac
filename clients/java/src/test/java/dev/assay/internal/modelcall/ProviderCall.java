package dev.assay.internal.modelcall;

import dev.assay.ModelCallFacts;
import dev.assay.internal.json.Json;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

/**
 * One case of the vectors, made by an application without the provider's library: it posts the request,
 * retries by itself, and reads the answer line by line.
 */
final class ProviderCall implements Callable<ProviderCall> {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Set<Integer> RETRIED = Set.of(408, 409, 429);

    private final String path;
    private final String request;
    private final long maxRetries;
    private final String how;
    private final long maxChunks;
    private final StringBuilder answer = new StringBuilder();
    private int status;
    private boolean isStream;
    private Double firstLineMs;

    ProviderCall(Map<String, Object> vector, long maxRetries) {
        path = Vectors.object(vector.get("scenario")).keySet().iterator().next();
        request = Json.write(vector.get("args"));
        Map<String, Object> consume = Vectors.object(vector.get("consume"));
        how = (String) consume.get("how");
        maxChunks = consume.containsKey("chunks") ? Vectors.integer(consume.get("chunks")) : Long.MAX_VALUE;
        this.maxRetries = maxRetries;
    }

    @Override
    public ProviderCall call() throws Exception {
        long startedAt = System.nanoTime();
        HttpResponse<Stream<String>> response = send();
        for (int retry = 0; retry < maxRetries && isRetried(response.statusCode()); retry++) {
            response = send();
        }
        status = response.statusCode();
        isStream = response.headers().firstValue("content-type").orElse("").startsWith("text/event-stream");
        try (Stream<String> lines = response.body()) {
            readLines(lines.iterator(), startedAt);
        } catch (UncheckedIOException broken) {
            throw broken.getCause();
        }
        return this;
    }

    private HttpResponse<Stream<String>> send() throws IOException, InterruptedException {
        HttpRequest post = HttpRequest.newBuilder(
                        URI.create(ScenarioServer.get().url() + path))
                .POST(HttpRequest.BodyPublishers.ofString(request))
                .build();
        return HTTP.send(post, HttpResponse.BodyHandlers.ofLines());
    }

    private static boolean isRetried(int status) {
        return RETRIED.contains(status) || status >= 500;
    }

    private void readLines(Iterator<String> lines, long startedAt) {
        for (int chunks = 0; chunks < maxChunks && lines.hasNext(); ) {
            String line = lines.next();
            answer.append(line).append('\n');
            if (line.startsWith("data:")) {
                firstLineMs = firstLineMs == null ? (System.nanoTime() - startedAt) / 1e6 : firstLineMs;
                chunks++;
            }
            if (chunks == maxChunks && how.equals("abort_after")) {
                throw new CancellationException();
            }
        }
    }

    /** Returns the status that the last answer had. */
    int status() {
        return status;
    }

    /** What the application passes to us from the answer. */
    ModelCallFacts facts() {
        ModelCallFacts facts = ModelCallFacts.fromWire(request, answer.toString());
        // Without a text there was no first token.
        boolean hasText = facts.fields().containsKey("response");
        return isStream && hasText
                ? facts.toBuilder().timeToFirstTokenMs(firstLineMs).build()
                : facts;
    }
}
