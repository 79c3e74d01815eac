package dev.assay.frameworks;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.assay.AssayClient;
import dev.assay.springai.AssayChatModel;
import dev.assay.springai.AssayEmbeddingModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.openai.OpenAiEmbeddingModel;
import reactor.core.Disposable;

final class SpringAi implements Framework {
    private final OpenAIClient openai;
    private final ChatModel model;
    private final EmbeddingModel embeddings;

    SpringAi(String url, AssayClient assay) {
        openai = OpenAIOkHttpClient.builder()
                .apiKey("k")
                .baseUrl(url + "/v1")
                .maxRetries(1)
                .build();
        ChatModel plain = OpenAiChatModel.builder()
                .openAiClient(openai)
                .openAiClientAsync(openai.async())
                .options(options().build())
                .build();
        model = new AssayChatModel(plain, assay, "greeting");
        embeddings = new AssayEmbeddingModel(
                OpenAiEmbeddingModel.builder().openAiClient(openai).build(), assay, "greeting");
    }

    private static OpenAiChatOptions.Builder options() {
        OpenAiChatOptions.Builder options = OpenAiChatOptions.builder();
        options.model("m");
        options.streamUsage(true);
        return options;
    }

    @Override
    public String title() {
        return "Spring AI 2.0, OpenAI";
    }

    @Override
    public void close() {
        openai.close();
    }

    @Override
    public boolean run(String name, String prompt) throws Exception {
        List<Message> messages = new ArrayList<>(List.of(new UserMessage(prompt)));
        OpenAiChatOptions.Builder options = options();
        switch (name) {
            case "embeddings":
                embeddings.embed(prompt);
                return true;
            case "several":
                options.n(2);
                model.call(new Prompt(messages, options.build()));
                return true;
            case "structured":
                options.responseFormat(OpenAiChatModel.ResponseFormat.builder()
                        .type(OpenAiChatModel.ResponseFormat.Type.JSON_OBJECT)
                        .build());
                model.call(new Prompt(messages, options.build()));
                return true;
            case "tools":
                AssistantMessage asked = model.call(new Prompt(messages, options.build()))
                        .getResult()
                        .getOutput();
                messages.add(asked);
                messages.add(ToolResponseMessage.builder()
                        .responses(List.of(new ToolResponseMessage.ToolResponse("t0", "look", "4")))
                        .build());
                model.call(new Prompt(messages, options.build()));
                return true;
            case "stream":
            case "paralleltools":
                model.stream(new Prompt(messages, options.build())).blockLast();
                return true;
            case "left":
                model.stream(new Prompt(messages, options.build())).take(1).blockLast();
                return true;
            case "aborted":
                abort(new Prompt(messages, options.build()));
                return true;
            default:
                model.call(new Prompt(messages, options.build()));
                return true;
        }
    }

    private void abort(Prompt prompt) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        Disposable reading = model.stream(prompt).subscribe(chunk -> started.countDown());
        started.await(30, TimeUnit.SECONDS);
        reading.dispose();
    }
}
