package dev.assay.internal.provider;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/** One case of the vectors, made with a provider's library. Raw values replace its typed ones. */
@SuppressWarnings("unchecked")
final class LibraryCall {
    private static final Executor HERE = Runnable::run;
    private static OpenAIClient openai;
    private static AnthropicClient anthropic;

    private final String method;
    private final Map<String, Object> fields;
    private final boolean isStream;
    private final String how;
    private final long maxChunks;
    /** What the caller received. */
    final List<Object> seen = new ArrayList<>();

    LibraryCall(Map<String, Object> vector) {
        method = (String) vector.get("method");
        fields = new LinkedHashMap<>(Vectors.object(vector.get("args")));
        isStream = Boolean.TRUE.equals(fields.remove("stream"));
        Map<String, Object> consume = Vectors.object(vector.get("consume"));
        how = (String) consume.get("how");
        maxChunks = consume.containsKey("chunks") ? Vectors.integer(consume.get("chunks")) : Long.MAX_VALUE;
    }

    /** Clients are created once, because each has a thread pool. */
    private static synchronized void open() throws IOException {
        if (openai != null) return;
        String url = ScenarioServer.get().url();
        openai = OpenAIOkHttpClient.builder()
                .apiKey("k")
                .baseUrl(url + "/v1")
                .maxRetries(2)
                .build();
        anthropic = AnthropicOkHttpClient.builder()
                .apiKey("k")
                .baseUrl(url)
                .maxRetries(2)
                .build();
    }

    static OpenAIClient openai() throws IOException {
        open();
        return openai;
    }

    static AnthropicClient anthropic() throws IOException {
        open();
        return anthropic;
    }

    /** Makes the call through a wrapped client and reads its answer; throws what the library throws. */
    void run(UnaryOperator<OpenAIClient> wrapOpenAi, UnaryOperator<AnthropicClient> wrapAnthropic, boolean isAsync)
            throws Throwable {
        OpenAIClient o = wrapOpenAi.apply(openai());
        AnthropicClient a = wrapAnthropic.apply(anthropic());
        switch (method.replace("parse", "create")) {
            case "chat.completions.create":
                ChatCompletionCreateParams chat = chat();
                if (isAsync && isStream) take(o.async().chat().completions().createStreaming(chat));
                else if (isAsync) take(o.async().chat().completions().create(chat));
                else if (isStream) take(o.chat().completions().createStreaming(chat));
                else take(o.chat().completions().create(chat));
                return;
            case "completions.create":
                CompletionCreateParams.Builder texts =
                        CompletionCreateParams.builder().model(value("model")).prompt(value("prompt"));
                fields.forEach((name, value) -> texts.putAdditionalBodyProperty(name, JsonValue.from(value)));
                CompletionCreateParams text = texts.build();
                if (isAsync && isStream) take(o.async().completions().createStreaming(text));
                else if (isAsync) take(o.async().completions().create(text));
                else if (isStream) take(o.completions().createStreaming(text));
                else take(o.completions().create(text));
                return;
            case "embeddings.create":
                EmbeddingCreateParams embedding = EmbeddingCreateParams.builder()
                        .model(value("model"))
                        .input(value("input"))
                        .encodingFormat(value("encoding_format"))
                        .build();
                if (isAsync) take(o.async().embeddings().create(embedding));
                else take(o.embeddings().create(embedding));
                return;
            case "responses.create":
                ResponseCreateParams response = response();
                if (isAsync && isStream) take(o.async().responses().createStreaming(response));
                else if (isAsync) take(o.async().responses().create(response));
                else if (isStream) take(o.responses().createStreaming(response));
                else take(o.responses().create(response));
                return;
            case "messages.create":
                com.anthropic.models.messages.MessageCreateParams message = message();
                if (isAsync && isStream) take(a.async().messages().createStreaming(message));
                else if (isAsync) take(a.async().messages().create(message));
                else if (isStream) take(a.messages().createStreaming(message));
                else take(a.messages().create(message));
                return;
            case "beta.messages.create":
                com.anthropic.models.beta.messages.MessageCreateParams beta = beta();
                if (isAsync) take(a.async().beta().messages().create(beta));
                else take(a.beta().messages().create(beta));
                return;
            default:
                throw new IllegalArgumentException(method);
        }
    }

    private JsonValue value(String field) {
        return JsonValue.from(fields.remove(field));
    }

    private ChatCompletionCreateParams chat() {
        ChatCompletionCreateParams.Builder made =
                ChatCompletionCreateParams.builder().model(value("model")).messages(value("messages"));
        Object options = fields.remove("stream_options");
        if (options != null)
            made.streamOptions(com.openai.core.ObjectMappers.jsonMapper()
                    .convertValue(options, com.openai.models.chat.completions.ChatCompletionStreamOptions.class));
        fields.forEach((name, value) -> made.putAdditionalBodyProperty(name, JsonValue.from(value)));
        return made.build();
    }

    private ResponseCreateParams response() {
        ResponseCreateParams.Builder made = ResponseCreateParams.builder().model(value("model"));
        made.input(value("input"));
        fields.forEach((name, value) -> made.putAdditionalBodyProperty(name, JsonValue.from(value)));
        return made.build();
    }

    private com.anthropic.core.JsonValue anthropicValue(String field) {
        return com.anthropic.core.JsonValue.from(fields.remove(field));
    }

    private com.anthropic.models.messages.MessageCreateParams message() {
        com.anthropic.models.messages.MessageCreateParams.Builder made =
                com.anthropic.models.messages.MessageCreateParams.builder()
                        .model((String) fields.remove("model"))
                        .maxTokens(Vectors.integer(fields.remove("max_tokens")))
                        .messages(anthropicValue("messages"));
        fields.forEach((name, value) -> made.putAdditionalBodyProperty(name, com.anthropic.core.JsonValue.from(value)));
        return made.build();
    }

    private com.anthropic.models.beta.messages.MessageCreateParams beta() {
        return com.anthropic.models.beta.messages.MessageCreateParams.builder()
                .model((String) fields.remove("model"))
                .maxTokens(Vectors.integer(fields.remove("max_tokens")))
                .messages(anthropicValue("messages"))
                .build();
    }

    private void take(Object answer) throws Throwable {
        if (answer instanceof CompletableFuture) {
            try {
                ((CompletableFuture<?>) answer).join();
            } catch (CompletionException e) {
                throw e.getCause();
            }
        } else if (answer instanceof com.openai.core.http.StreamResponse) {
            try (com.openai.core.http.StreamResponse<?> stream = (com.openai.core.http.StreamResponse<?>) answer) {
                takeChunks(stream.stream().iterator(), stream::close);
            }
        } else if (answer instanceof com.anthropic.core.http.StreamResponse) {
            try (com.anthropic.core.http.StreamResponse<?> stream =
                    (com.anthropic.core.http.StreamResponse<?>) answer) {
                takeChunks(stream.stream().iterator(), stream::close);
            }
        } else if (answer instanceof com.openai.core.http.AsyncStreamResponse) {
            takeOpenAi((com.openai.core.http.AsyncStreamResponse<?>) answer);
        } else if (answer instanceof com.anthropic.core.http.AsyncStreamResponse) {
            takeAnthropic((com.anthropic.core.http.AsyncStreamResponse<?>) answer);
        } else {
            seen.add(answer);
        }
    }

    private void takeChunks(Iterator<?> chunks, Runnable close) {
        while (seen.size() < maxChunks && chunks.hasNext()) seen.add(chunks.next());
        if (how.equals("abort_after")) close.run();
    }

    private void takeOpenAi(com.openai.core.http.AsyncStreamResponse<?> stream) throws Throwable {
        CompletableFuture<Void> end = new CompletableFuture<>();
        stream.subscribe(
                new com.openai.core.http.AsyncStreamResponse.Handler<Object>() {
                    @Override
                    public void onNext(Object chunk) {
                        take(chunk, stream::close, end);
                    }

                    @Override
                    public void onComplete(Optional<Throwable> error) {
                        end(error, end);
                    }
                },
                HERE);
        await(end);
    }

    private void takeAnthropic(com.anthropic.core.http.AsyncStreamResponse<?> stream) throws Throwable {
        CompletableFuture<Void> end = new CompletableFuture<>();
        stream.subscribe(
                new com.anthropic.core.http.AsyncStreamResponse.Handler<Object>() {
                    @Override
                    public void onNext(Object chunk) {
                        take(chunk, stream::close, end);
                    }

                    @Override
                    public void onComplete(Optional<Throwable> error) {
                        end(error, end);
                    }
                },
                HERE);
        await(end);
    }

    private synchronized void take(Object chunk, Runnable close, CompletableFuture<Void> end) {
        if (seen.size() >= maxChunks) return;
        seen.add(chunk);
        if (seen.size() < maxChunks) return;
        close.run();
        end.complete(null);
    }

    private static void end(Optional<Throwable> error, CompletableFuture<Void> end) {
        if (error.isPresent()) end.completeExceptionally(error.get());
        else end.complete(null);
    }

    private static void await(CompletableFuture<Void> end) throws Throwable {
        try {
            end.join();
        } catch (CompletionException e) {
            throw e.getCause();
        }
    }
}
