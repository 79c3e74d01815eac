package dev.assay.frameworks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.internal.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A provider that speaks the protocols of OpenAI and Anthropic, and keeps a ledger of what it
 * billed.
 */
final class FakeProvider implements AutoCloseable {
    private static final Pattern CASE = Pattern.compile("case=([a-z]+) size=(\\d+)");
    private static final int LONGEST_STREAM = 100;
    private static final int CHUNK_MS = 20;

    /** What was billed, one line per answer. */
    final List<String> ledger = Collections.synchronizedList(new ArrayList<>());

    /** The bodies of the requests. */
    final List<String> bodies = Collections.synchronizedList(new ArrayList<>());

    final AtomicInteger requests = new AtomicInteger();
    private final HttpServer server;

    FakeProvider() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        bodies.add(request);
        Matcher found = CASE.matcher(request);
        if (!found.find()) throw new IOException("no case: " + request);
        boolean isRetried = found.group(1).equals("retries") && requests.get() == 0;
        requests.incrementAndGet();
        if (found.group(1).equals("error") || isRetried) {
            Map<String, Object> error = Map.of("type", "error", "error", Map.of("type", "x", "message", "no"));
            send(exchange, isRetried ? 500 : 400, error);
            return;
        }
        new Answer(exchange, request, found.group(1), Long.parseLong(found.group(2))).send();
    }

    private static void send(HttpExchange exchange, int status, Object body) throws IOException {
        byte[] bytes = Json.write(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    /** A line of the ledger. */
    static String line(Object input, Object cached, Object written, Object output, Object reasoning) {
        return "input " + zero(input) + ", cache read " + zero(cached) + ", cache write " + zero(written) + ", output "
                + zero(output) + ", reasoning " + zero(reasoning);
    }

    private static Object zero(Object count) {
        return count == null ? 0 : count;
    }

    private final class Answer {
        private final HttpExchange exchange;
        private final String path;
        private final String request;
        private final String name;
        private final boolean isStream;
        private final boolean isCut;
        private final long input;
        private final long cached;
        private final long written;
        private final long output;
        private final long reasoning;

        Answer(HttpExchange exchange, String request, String name, long size) {
            this.exchange = exchange;
            this.request = request;
            this.name = name;
            path = exchange.getRequestURI().getPath();
            isStream = request.replace(" ", "").contains("\"stream\":true");
            isCut = name.equals("left") || name.equals("aborted");
            boolean isEmbedding = path.endsWith("/embeddings");
            input = 40 + size;
            cached = name.equals("cache") ? 11 : 0;
            written = name.equals("cache") && isAnthropic() ? 7 : 0;
            output = isEmbedding ? 0 : 20 + size;
            reasoning = name.equals("reasoning") ? 9 : 0;
        }

        private boolean isAnthropic() {
            return path.endsWith("/messages");
        }

        void send() throws IOException {
            if (!isCut) ledger.add(line(input, cached, written, output, reasoning));
            if (!isStream) {
                FakeProvider.send(
                        exchange,
                        200,
                        isAnthropic() ? message() : path.endsWith("/embeddings") ? embeddings() : chat());
                return;
            }
            exchange.getResponseHeaders().set("content-type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                if (isAnthropic()) streamMessage(out);
                else streamChat(out);
            } catch (IOException left) {
                // By the client.
            }
        }

        private boolean wantsTool() {
            return name.contains("tools") && !request.contains("tool_call_id") && !request.contains("tool_result");
        }

        private int tools() {
            return !wantsTool() ? 0 : name.startsWith("parallel") ? 2 : 1;
        }

        private String text() {
            return name.equals("structured") ? "{\"ok\":true}" : "Hello you";
        }

        private Map<String, Object> chatUsage() {
            return Map.of(
                    "prompt_tokens",
                    input,
                    "completion_tokens",
                    output,
                    "total_tokens",
                    input + output,
                    "prompt_tokens_details",
                    Map.of("cached_tokens", cached),
                    "completion_tokens_details",
                    Map.of("reasoning_tokens", reasoning));
        }

        private Map<String, Object> chat() {
            List<Object> calls = new ArrayList<>();
            for (int i = 0; i < tools(); i++) calls.add(toolCall(i, "{\"a\":" + i + "}"));
            Map<String, Object> message = new LinkedHashMap<>();
            message.put("role", "assistant");
            message.put("content", calls.isEmpty() ? text() : null);
            message.put("refusal", null);
            if (!calls.isEmpty()) message.put("tool_calls", calls);
            List<Object> choices = new ArrayList<>();
            for (int i = 0; i < (name.equals("several") ? 2 : 1); i++) {
                Map<String, Object> choice = new LinkedHashMap<>();
                choice.put("index", i);
                choice.put("message", message);
                choice.put("logprobs", null);
                choice.put("finish_reason", calls.isEmpty() ? "stop" : "tool_calls");
                choices.add(choice);
            }
            return Map.of(
                    "id",
                    "c",
                    "object",
                    "chat.completion",
                    "created",
                    1,
                    "model",
                    "m-1",
                    "choices",
                    choices,
                    "usage",
                    chatUsage());
        }

        private Map<String, Object> toolCall(int index, String arguments) {
            Map<String, Object> called = Map.of("name", "look", "arguments", arguments);
            return Map.of("index", index, "id", "t" + index, "type", "function", "function", called);
        }

        private Map<String, Object> embeddings() {
            Map<String, Object> vector = Map.of("object", "embedding", "index", 0, "embedding", List.of(0.5, 0.25));
            return Map.of(
                    "object",
                    "list",
                    "model",
                    "m-1",
                    "data",
                    List.of(vector),
                    "usage",
                    Map.of("prompt_tokens", input, "total_tokens", input));
        }

        private void streamChat(OutputStream out) throws IOException {
            for (int i = 0; i < tools(); i++) chunk(out, Map.of("tool_calls", List.of(toolCall(i, ""))), null);
            // Interleaved.
            for (int i = 0; i < tools(); i++) {
                Map<String, Object> more = Map.of("index", i, "function", Map.of("arguments", "{\"a\":" + i + "}"));
                chunk(out, Map.of("tool_calls", List.of(more)), null);
            }
            if (tools() == 0) chunk(out, Map.of("role", "assistant", "content", "Hello"), null);
            for (int i = 0; isCut && i < LONGEST_STREAM; i++) {
                pause();
                chunk(out, Map.of("content", " on"), null);
            }
            if (tools() == 0) chunk(out, Map.of("content", " you"), null);
            chunk(out, Map.of(), tools() == 0 ? "stop" : "tool_calls");
            if (request.replace(" ", "").contains("\"include_usage\":true")) {
                event(
                        out,
                        null,
                        Map.of(
                                "id",
                                "c",
                                "object",
                                "chat.completion.chunk",
                                "created",
                                1,
                                "model",
                                "m-1",
                                "choices",
                                List.of(),
                                "usage",
                                chatUsage()));
            }
            out.write("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8));
        }

        private void chunk(OutputStream out, Map<String, Object> delta, String reason) throws IOException {
            Map<String, Object> choice = new LinkedHashMap<>();
            choice.put("index", 0);
            choice.put("delta", delta);
            choice.put("finish_reason", reason);
            event(
                    out,
                    null,
                    Map.of(
                            "id",
                            "c",
                            "object",
                            "chat.completion.chunk",
                            "created",
                            1,
                            "model",
                            "m-1",
                            "choices",
                            List.of(choice)));
        }

        private void event(OutputStream out, String type, Object data) throws IOException {
            String head = type == null ? "" : "event: " + type + "\n";
            out.write((head + "data: " + Json.write(data) + "\n\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }

        private void pause() {
            try {
                Thread.sleep(CHUNK_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Map<String, Object> messageUsage() {
            // Tokens read from and written to the cache are counted separately.
            return Map.of(
                    "input_tokens", input - cached - written,
                    "cache_read_input_tokens", cached,
                    "cache_creation_input_tokens", written,
                    "output_tokens", output,
                    "output_tokens_details", Map.of("thinking_tokens", reasoning));
        }

        private Map<String, Object> message() {
            List<Object> content = new ArrayList<>();
            for (int i = 0; i < tools(); i++) content.add(toolUse(i, Map.of("a", i)));
            if (content.isEmpty()) content.add(Map.of("type", "text", "text", text()));
            Map<String, Object> message = new LinkedHashMap<>();
            message.put("id", "m");
            message.put("type", "message");
            message.put("role", "assistant");
            message.put("model", "m-1");
            message.put("content", content);
            message.put("stop_reason", tools() == 0 ? "end_turn" : "tool_use");
            message.put("stop_sequence", null);
            message.put("usage", messageUsage());
            return message;
        }

        private Map<String, Object> toolUse(int index, Map<String, ?> arguments) {
            return Map.of("type", "tool_use", "id", "t" + index, "name", "look", "input", arguments);
        }

        private void streamMessage(OutputStream out) throws IOException {
            Map<String, Object> start = new LinkedHashMap<>(message());
            start.put("content", List.of());
            start.put("stop_reason", null);
            event(out, "message_start", Map.of("type", "message_start", "message", start));
            int blocks = Math.max(1, tools());
            for (int i = 0; i < blocks; i++) {
                boolean isTool = tools() > 0;
                Map<String, Object> block = isTool ? toolUse(i, Map.of()) : Map.of("type", "text", "text", "");
                event(
                        out,
                        "content_block_start",
                        Map.of("type", "content_block_start", "index", i, "content_block", block));
                Map<String, Object> delta = isTool
                        ? Map.of("type", "input_json_delta", "partial_json", "{\"a\":" + i + "}")
                        : Map.of("type", "text_delta", "text", "Hello you");
                for (int n = 0; n < (isCut ? LONGEST_STREAM : 1); n++) {
                    if (n > 0) pause();
                    event(
                            out,
                            "content_block_delta",
                            Map.of("type", "content_block_delta", "index", i, "delta", delta));
                }
                event(out, "content_block_stop", Map.of("type", "content_block_stop", "index", i));
            }
            Map<String, Object> end = new LinkedHashMap<>();
            end.put("stop_reason", tools() == 0 ? "end_turn" : "tool_use");
            end.put("stop_sequence", null);
            event(out, "message_delta", Map.of("type", "message_delta", "delta", end, "usage", messageUsage()));
            event(out, "message_stop", Map.of("type", "message_stop"));
        }
    }
}
