package dev.assay.frameworks;

import dev.assay.AssayClient;
import dev.assay.langchain4j.AssayListener;
import dev.assay.langchain4j.AssayStreamingChatModel;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

final class LangChain implements Framework {
    private final String title;
    private final ChatModel model;
    private final StreamingChatModel streaming;
    private final EmbeddingModel embedding;

    private LangChain(String title, ChatModel model, StreamingChatModel streaming, EmbeddingModel embedding) {
        this.title = title;
        this.model = model;
        this.streaming = streaming;
        this.embedding = embedding;
    }

    static LangChain ofOpenAi(String url, AssayClient assay) {
        AssayListener listener = new AssayListener(assay, "greeting");
        return new LangChain(
                "LangChain4j 1.19, OpenAI",
                OpenAiChatModel.builder()
                        .apiKey("k")
                        .baseUrl(url + "/v1")
                        .modelName("m")
                        .maxRetries(1)
                        .listeners(listener)
                        .build(),
                new AssayStreamingChatModel(
                        OpenAiStreamingChatModel.builder()
                                .apiKey("k")
                                .baseUrl(url + "/v1")
                                .modelName("m")
                                .build(),
                        assay,
                        "greeting"),
                OpenAiEmbeddingModel.builder()
                        .apiKey("k")
                        .baseUrl(url + "/v1")
                        .modelName("m")
                        .listeners(List.of(listener))
                        .build());
    }

    static LangChain ofAnthropic(String url, AssayClient assay) {
        AssayListener listener = new AssayListener(assay, "greeting");
        return new LangChain(
                "LangChain4j 1.19, Anthropic",
                AnthropicChatModel.builder()
                        .apiKey("k")
                        .baseUrl(url + "/v1")
                        .modelName("m")
                        .maxRetries(1)
                        .listeners(listener)
                        .build(),
                new AssayStreamingChatModel(
                        AnthropicStreamingChatModel.builder()
                                .apiKey("k")
                                .baseUrl(url + "/v1")
                                .modelName("m")
                                .build(),
                        assay,
                        "greeting"),
                null);
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public boolean run(String name, String prompt) throws Exception {
        List<ChatMessage> messages = new ArrayList<>(List.of(UserMessage.from(prompt)));
        ChatRequest.Builder request = ChatRequest.builder();
        switch (name) {
            case "embeddings":
                if (embedding == null) return false;
                embedding.embed(prompt);
                return true;
            case "several":
                return false;
            case "structured":
                JsonSchema schema = JsonSchema.builder()
                        .name("Checked")
                        .rootElement(JsonObjectSchema.builder()
                                .addBooleanProperty("ok")
                                .build())
                        .build();
                request.responseFormat(ResponseFormat.builder()
                        .type(ResponseFormatType.JSON)
                        .jsonSchema(schema)
                        .build());
                model.chat(request.messages(messages).build());
                return true;
            case "tools":
                request.toolSpecifications(
                        ToolSpecification.builder().name("look").build());
                AiMessage asked = model.chat(request.messages(messages).build()).aiMessage();
                messages.add(asked);
                for (ToolExecutionRequest tool : asked.toolExecutionRequests()) {
                    messages.add(ToolExecutionResultMessage.from(tool, "4"));
                }
                model.chat(request.messages(messages).build());
                return true;
            case "paralleltools":
                request.toolSpecifications(
                        ToolSpecification.builder().name("look").build());
                // Its stream cannot read calls whose pieces are interleaved.
                model.chat(request.messages(messages).build());
                return true;
            case "reasoning":
                model.chat(request.messages(messages).build());
                stream(request.messages(messages).build(), "stream");
                return true;
            case "stream":
            case "left":
            case "aborted":
                stream(request.messages(messages).build(), name);
                return true;
            default:
                model.chat(request.messages(messages).build());
                return true;
        }
    }

    private void stream(ChatRequest request, String name) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        streaming.chat(request, new StreamingChatResponseHandler() {
            private boolean isLeft;

            @Override
            public void onPartialResponse(PartialResponse partial, PartialResponseContext context) {
                if (isLeft || name.equals("stream")) return;
                isLeft = true;
                Runnable leave = () -> {
                    context.streamingHandle().cancel();
                    end.countDown();
                };
                if (name.equals("left")) leave.run();
                else Later.run(leave);
            }

            @Override
            public void onCompleteResponse(ChatResponse response) {
                end.countDown();
            }

            @Override
            public void onError(Throwable error) {
                end.countDown();
            }
        });
        end.await(30, TimeUnit.SECONDS);
    }
}
