package dev.assay.frameworks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.assay.AssayClient;
import dev.assay.springai.AssayChatModel;
import dev.assay.springai.AssayEmbeddingModel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import reactor.core.publisher.Flux;

/** The models around Spring AI's, compiled with version 2, run with version 1. */
@Tag("spring-ai-1")
class SpringAi1Test {
    private final AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));

    private static final class Hello implements ChatModel {
        @Override
        public ChatResponse call(Prompt prompt) {
            return new ChatResponse(
                    List.of(new Generation(new AssistantMessage("hello"))),
                    ChatResponseMetadata.builder()
                            .model("hello-1")
                            .usage(new DefaultUsage(3, 1))
                            .build());
        }

        @Override
        public Flux<ChatResponse> stream(Prompt prompt) {
            return Flux.just(call(prompt));
        }

        /** Those of version 1. */
        @SuppressWarnings("removal")
        public ChatOptions getDefaultOptions() {
            return ChatOptions.builder().model("hello").temperature(0.5).build();
        }
    }

    private static final class Lengths implements EmbeddingModel {
        private boolean isDown;

        @Override
        public EmbeddingResponse call(EmbeddingRequest request) {
            return new EmbeddingResponse(List.of(new Embedding(new float[] {1}, 0)));
        }

        @Override
        public float[] embed(Document document) {
            if (isDown) throw new IllegalStateException("down");
            return new float[] {document.getText().length()};
        }
    }

    private final Lengths lengths = new Lengths();
    private final EmbeddingModel embeddings = new AssayEmbeddingModel(lengths, assay, "greeting");
    private final ChatModel model = new AssayChatModel(new Hello(), assay, "greeting");

    @BeforeEach
    void isVersion1() {
        assertThrows(NoSuchMethodException.class, () -> ChatModel.class.getMethod("getOptions"));
    }

    @Test
    void recordsACall() {
        assertEquals("hello", assay.withUser("ann", () -> model.call("hi")));
        assertEquals("hi", onlyCall().get("prompt"));
        assertEquals("hello", onlyCall().get("requested_model"));
        assertEquals(
                List.of(3L, 1L),
                List.of(onlyCall().get("input_tokens"), onlyCall().get("output_tokens")));
    }

    @Test
    void hasTheOptionsOfItsModel() throws Exception {
        Object options = ChatModel.class.getMethod("getDefaultOptions").invoke(model);
        assertEquals(0.5, ((ChatOptions) options).getTemperature());
    }

    @Test
    void recordsAStream() {
        assay.withUser("ann", () -> model.stream(new Prompt("hi")).blockLast());
        assertEquals(
                List.of("hi", "hello"),
                List.of(onlyCall().get("prompt"), onlyCall().get("response")));
    }

    @Test
    void recordsATextThatIsEmbedded() {
        assay.withUser("ann", () -> embeddings.embed("abc"));
        assertEquals("abc", onlyCall().get("prompt"));
    }

    @Test
    void recordsADocument() {
        assertArrayEquals(new float[] {3}, assay.withUser("ann", () -> embeddings.embed(new Document("abc"))));
        assertEquals(0L, onlyCall().get("output_tokens"));
    }

    @Test
    void recordsADocumentThatFails() {
        lengths.isDown = true;
        assertThrows(
                IllegalStateException.class, () -> assay.withUser("ann", () -> embeddings.embed(new Document("abc"))));
        assertEquals("IllegalStateException", onlyCall().get("error_type"));
    }

    private Map<String, Object> onlyCall() {
        List<Map<String, Object>> calls = assay.trackedEvents().stream()
                .filter(event -> event.get("type").equals("model_call"))
                .toList();
        assertEquals(1, calls.size());
        return calls.get(0);
    }
}
