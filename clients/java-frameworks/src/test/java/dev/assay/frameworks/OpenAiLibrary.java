package dev.assay.frameworks;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;
import dev.assay.AssayClient;
import java.util.List;
import java.util.Map;

final class OpenAiLibrary implements Framework {
    private final OpenAIClient plain;
    private final OpenAIClient client;

    OpenAiLibrary(String url, AssayClient assay) {
        plain = OpenAIOkHttpClient.builder()
                .apiKey("k")
                .baseUrl(url + "/v1")
                .maxRetries(1)
                .build();
        client = assay.wrap(plain, "greeting");
    }

    @Override
    public String title() {
        return "openai-java 4.101";
    }

    @Override
    public void close() {
        plain.close();
    }

    @Override
    public boolean run(String name, String prompt) throws Exception {
        ChatCompletionCreateParams.Builder params =
                ChatCompletionCreateParams.builder().model("m").addUserMessage(prompt);
        switch (name) {
            case "embeddings":
                client.embeddings()
                        .create(EmbeddingCreateParams.builder()
                                .model("m")
                                .input(prompt)
                                .build());
                return true;
            case "structured":
                // Spring AI brings another schema generator, so the schema is given in full.
                params.putAdditionalBodyProperty("response_format", JsonValue.from(Map.of("type", "json_object")));
                client.chat().completions().create(params.build());
                return true;
            case "several":
                client.chat().completions().create(params.n(2).build());
                return true;
            case "tools":
                Map<String, Object> look = Map.of("type", "function", "function", Map.of("name", "look"));
                params.putAdditionalBodyProperty("tools", JsonValue.from(List.of(look)));
                ChatCompletion asked = client.chat().completions().create(params.build());
                params.addMessage(asked.choices().get(0).message());
                params.addMessage(com.openai.models.chat.completions.ChatCompletionToolMessageParam.builder()
                        .toolCallId("t0")
                        .content("4")
                        .build());
                client.chat().completions().create(params.build());
                return true;
            case "stream":
            case "paralleltools":
                stream(params.build(), Long.MAX_VALUE, false);
                return true;
            case "left":
                stream(params.build(), 1, false);
                return true;
            case "aborted":
                stream(params.build(), Long.MAX_VALUE, true);
                return true;
            default:
                client.chat().completions().create(params.build());
                return true;
        }
    }

    private void stream(ChatCompletionCreateParams params, long limit, boolean isAborted) {
        try (StreamResponse<ChatCompletionChunk> stream =
                client.chat().completions().createStreaming(params)) {
            if (isAborted) Later.run(Thread.currentThread()::interrupt);
            stream.stream().limit(limit).forEach(chunk -> {});
        } catch (RuntimeException interrupted) {
            if (!isAborted || !Thread.interrupted()) throw interrupted;
        }
    }
}
