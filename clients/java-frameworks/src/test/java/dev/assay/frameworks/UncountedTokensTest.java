package dev.assay.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.assay.AssayClient;
import dev.assay.langchain4j.AssayListener;
import dev.assay.springai.AssayChatModel;
import dev.assay.springai.AssayEmbeddingModel;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.openai.OpenAiTokenUsage;
import dev.langchain4j.model.openai.OpenAiTokenUsage.InputTokensDetails;
import dev.langchain4j.model.output.TokenUsage;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.metadata.EmptyUsage;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.EmbeddingResponseMetadata;

/** No prompt has 0 tokens: where the frameworks say so, the provider did not count the input. */
class UncountedTokensTest {
    private final AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));

    @Test
    void ofLangChain4j() {
        assertEquals(Map.of("output_tokens", 7L), langChain4j(usage(0, 7)));
        assertEquals(Map.of(), langChain4j(usage(0, 0)));
        assertEquals(Map.of(), langChain4j(new TokenUsage()));
        assertEquals(
                Map.of("input_tokens", 5L, "cached_input_tokens", 0L, "output_tokens", 0L), langChain4j(usage(5, 0)));
    }

    @Test
    void ofSpringAi() {
        assertEquals(Map.of("output_tokens", 7L), springAi(new DefaultUsage(null, 7)));
        assertEquals(Map.of(), springAi(new EmptyUsage()));
        assertEquals(Map.of("input_tokens", 5L, "output_tokens", 0L), springAi(new DefaultUsage(5, 0)));
    }

    @Test
    void ofEmbeddingsOfSpringAi() {
        assertEquals(Map.of("output_tokens", 0L), embeddings(new EmptyUsage()));
        assertEquals(Map.of("input_tokens", 5L, "output_tokens", 0L), embeddings(new DefaultUsage(5, 0)));
    }

    private static TokenUsage usage(int input, int output) {
        return OpenAiTokenUsage.builder()
                .inputTokenCount(input)
                .inputTokensDetails(InputTokensDetails.builder().cachedTokens(0).build())
                .outputTokenCount(output)
                .build();
    }

    private Map<String, Object> langChain4j(TokenUsage usage) {
        dev.langchain4j.model.chat.ChatModel model = new dev.langchain4j.model.chat.ChatModel() {
            @Override
            public dev.langchain4j.model.chat.response.ChatResponse doChat(ChatRequest request) {
                return dev.langchain4j.model.chat.response.ChatResponse.builder()
                        .aiMessage(AiMessage.from("Hi"))
                        .tokenUsage(usage)
                        .build();
            }

            @Override
            public List<ChatModelListener> listeners() {
                return List.of(new AssayListener(assay, "greeting"));
            }
        };
        assay.withUser("ann", () -> model.chat("Say hello"));
        return tokensOfLastCall();
    }

    private Map<String, Object> springAi(Usage usage) {
        ChatModel model = prompt -> new ChatResponse(
                List.of(new Generation(new AssistantMessage("Hi"))),
                ChatResponseMetadata.builder().usage(usage).build());
        assay.withUser("ann", () -> new AssayChatModel(model, assay, "greeting").call("Say hello"));
        return tokensOfLastCall();
    }

    private Map<String, Object> embeddings(Usage usage) {
        EmbeddingModel model = new EmbeddingModel() {
            @Override
            public EmbeddingResponse call(EmbeddingRequest request) {
                return new EmbeddingResponse(
                        List.of(new Embedding(new float[] {1}, 0)), new EmbeddingResponseMetadata("m", usage));
            }

            @Override
            public float[] embed(Document document) {
                throw new AssertionError("would not be observed");
            }
        };
        assay.withUser("ann", () -> new AssayEmbeddingModel(model, assay, "greeting").embed("hello"));
        return tokensOfLastCall();
    }

    private Map<String, Object> tokensOfLastCall() {
        List<Map<String, Object>> events = assay.trackedEvents();
        Map<String, Object> tokens = new TreeMap<>(events.get(events.size() - 1));
        tokens.keySet().removeIf(name -> !name.endsWith("_tokens"));
        return tokens;
    }
}
