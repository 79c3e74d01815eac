package dev.assay.internal.delivery;

import dev.assay.internal.json.Json;
import dev.assay.internal.json.JsonException;
import dev.assay.internal.log.ClientLog;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Talks to the service over {@link HttpClient}: adds the key, reads the body, and gives up after 10 s, not
 * counting a wait. It never follows a redirect, which would send the key to whatever host it names. The
 * default {@code ProxySelector} chooses the proxy.
 */
public final class HttpTransport implements Transport {
    /** Names the library and the version of its pom.xml, which the service keeps with each event. */
    private static final String USER_AGENT = "assay-java/0.1.0";

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** Large, because a config contains the prompts of all experiments. */
    private static final int MAX_ANSWER_BYTES = 32 * 1024 * 1024;

    private final String apiKey;
    private final String baseUrl;
    private final ScheduledExecutorService executor;
    private final ClientLog log;
    /** Ends each running request. */
    private final Set<Runnable> open = ConcurrentHashMap.newKeySet();
    /** Made at the first request, because this takes tens of milliseconds and may fail. */
    private HttpClient client;

    private boolean isClosed;

    /**
     * Makes a transport. Opens nothing before the first request.
     *
     * @param apiKey sent with each request
     * @param baseUrl of the service, without a trailing slash
     * @param executor runs everything
     * @param log logs a refused key
     */
    public HttpTransport(String apiKey, String baseUrl, ScheduledExecutorService executor, ClientLog log) {
        this.apiKey = apiKey;
        this.baseUrl = baseUrl;
        this.executor = executor;
        this.log = log;
    }

    @Override
    public CompletableFuture<Answer> postEvents(byte[] body) {
        return send("/v1/events", null, body, 0);
    }

    @Override
    public CompletableFuture<Answer> getConfig(String etag, int waitSeconds) {
        String query = waitSeconds == 0 ? "" : "?wait=" + waitSeconds;
        return send("/v1/config" + query, etag, null, waitSeconds);
    }

    @Override
    public void close() {
        HttpClient last;
        synchronized (this) {
            isClosed = true;
            last = client;
            // Its thread and connections end when it is collected.
            client = null;
        }
        open.forEach(Runnable::run);
        if (last != null) shutDown(last);
    }

    private CompletableFuture<Answer> send(String path, String etag, byte[] body, int waitSeconds) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        HttpRequest request;
        try {
            request = request(path, etag, body, TIMEOUT.plusSeconds(waitSeconds));
        } catch (RuntimeException e) {
            // Its message may quote the key.
            answer.complete(Answer.none("apiKey or baseUrl is malformed"));
            return answer;
        }
        try {
            exchange(request, answer, waitSeconds > 0);
        } catch (Throwable e) {
            answer.complete(Answer.none(describe(e)));
        }
        return answer;
    }

    private HttpRequest request(String path, String etag, byte[] body, Duration limit) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(baseUrl + path));
        // This limit covers the time until the headers; the one below also covers the body.
        request.timeout(limit).header("X-API-Key", apiKey).header("User-Agent", USER_AGENT);
        if (etag != null) request.header("If-None-Match", etag);
        if (body == null) return request.GET().build();
        request.header("Content-Type", "application/json");
        return request.POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
    }

    private void exchange(HttpRequest request, CompletableFuture<Answer> answer, boolean waits) {
        HttpClient current = client();
        if (current == null) {
            answer.complete(Answer.none("client closed"));
            return;
        }
        long sentAt = System.currentTimeMillis();
        BoundedBody body = new BoundedBody(MAX_ANSWER_BYTES);
        HttpResponse.BodyHandler<byte[]> handler = info -> {
            // The service sets Date after a wait, so the round trip must not include the wait.
            long beganAt = waits ? System.currentTimeMillis() : sentAt;
            body.whenRead(bytes -> answer.complete(read(info, bytes, beganAt)));
            return body;
        };
        CompletableFuture<HttpResponse<byte[]>> exchange = current.sendAsync(request, handler);
        Runnable giveUp = () -> {
            answer.complete(Answer.none("no answer"));
            body.cancel();
            // Java 11 ignores this. There, the request's own time limit ends a request without headers.
            exchange.cancel(true);
        };
        open.add(giveUp);
        long limitMs = request.timeout().orElse(TIMEOUT).toMillis();
        ScheduledFuture<?> timeout = executor.schedule(giveUp, limitMs, TimeUnit.MILLISECONDS);
        answer.whenComplete((any, none) -> {
            open.remove(giveUp);
            timeout.cancel(false);
        });
        // This runs on the common pool, which the application may have blocked, so only failures depend on
        // it.
        exchange.whenComplete((response, error) -> {
            if (error != null) answer.complete(Answer.none(describe(error)));
        });
        if (isClosed()) giveUp.run();
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /** Null once it is closed. */
    private synchronized HttpClient client() {
        if (client == null && !isClosed) {
            client = HttpClient.newBuilder()
                    .executor(this::execute)
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();
        }
        return client;
    }

    /** An unfinished task of the JDK's client would keep it and its thread alive forever. */
    private void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    private Answer read(HttpResponse.ResponseInfo response, byte[] body, long sentAt) {
        long answeredAt = System.currentTimeMillis();
        HttpHeaders headers = response.headers();
        String date = headers.firstValue("Date").orElse(null);
        long retryAfterMs = RetryAfter.parse(headers.firstValue("Retry-After").orElse(null), date);
        Object json = parse(body);
        String etag = headers.firstValue("ETag").orElse(null);
        Answer answer =
                Answer.of(response.statusCode(), retryAfterMs, etag, json).timed(sentAt, answeredAt, date);
        if (answer.verdict() == Verdict.REFUSE) {
            log.once(System.Logger.Level.ERROR, "API key refused: " + answer.reason());
        }
        return answer;
    }

    private static Object parse(byte[] body) {
        try {
            return Json.parse(new String(body, StandardCharsets.UTF_8));
        } catch (JsonException e) {
            return null;
        }
    }

    private static String describe(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        String message = cause.getMessage();
        String name = cause.getClass().getSimpleName();
        return message == null ? name : name + ": " + message;
    }

    /** Since Java 21 a client can be ended at once. */
    private static void shutDown(HttpClient client) {
        try {
            HttpClient.class.getMethod("shutdownNow").invoke(client);
        } catch (ReflectiveOperationException e) {
            // In older versions it ends when it is collected.
        }
    }
}
