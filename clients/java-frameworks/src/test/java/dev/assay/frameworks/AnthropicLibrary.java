package dev.assay.frameworks;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.ToolResultBlockParam;
import dev.assay.AssayClient;
import java.util.List;
import java.util.Map;

final class AnthropicLibrary implements Framework {
    private final AnthropicClient plain;
    private final AnthropicClient client;

    AnthropicLibrary(String url, AssayClient assay) {
        plain = AnthropicOkHttpClient.builder()
                .apiKey("k")
                .baseUrl(url)
                .maxRetries(1)
                .build();
        client = assay.wrap(plain, "greeting");
    }

    @Override
    public String title() {
        return "anthropic-java 3.13";
    }

    @Override
    public void close() {
        plain.close();
    }

    @Override
    public boolean run(String name, String prompt) throws Exception {
        MessageCreateParams.Builder params =
                MessageCreateParams.builder().model("m").maxTokens(99).addUserMessage(prompt);
        switch (name) {
            case "embeddings":
            case "several":
                return false;
            case "structured":
                Map<String, Object> format = Map.of("type", "json_schema", "schema", Map.of("type", "object"));
                params.putAdditionalBodyProperty("output_config", JsonValue.from(Map.of("format", format)));
                client.messages().create(params.build());
                return true;
            case "tools":
                Map<String, Object> look = Map.of("name", "look", "input_schema", Map.of("type", "object"));
                params.putAdditionalBodyProperty("tools", JsonValue.from(List.of(look)));
                Message asked = client.messages().create(params.build());
                params.addMessage(asked);
                params.addUserMessageOfContentBlockParams(
                        List.of(ContentBlockParam.ofToolResult(ToolResultBlockParam.builder()
                                .toolUseId("t0")
                                .content("4")
                                .build())));
                client.messages().create(params.build());
                return true;
            case "stream":
            case "paralleltools":
                stream(params.build(), Long.MAX_VALUE, false);
                return true;
            case "left":
                stream(params.build(), 3, false);
                return true;
            case "aborted":
                stream(params.build(), Long.MAX_VALUE, true);
                return true;
            default:
                client.messages().create(params.build());
                return true;
        }
    }

    private void stream(MessageCreateParams params, long limit, boolean isAborted) {
        try (StreamResponse<RawMessageStreamEvent> stream = client.messages().createStreaming(params)) {
            if (isAborted) Later.run(Thread.currentThread()::interrupt);
            stream.stream().limit(limit).forEach(chunk -> {});
        } catch (RuntimeException interrupted) {
            if (!isAborted || !Thread.interrupted()) throw interrupted;
        }
    }
}
