package dev.assay.frameworks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.assay.AssayClient;
import dev.assay.springai.AssayEmbeddingModel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.EmbeddingResponseMetadata;

/** What {@code AssayEmbeddingModel} does for every way to embed. */
class SpringAiEmbeddingsTest {
    private final AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));

    /** Counts a token for each text. Embeds documents by a title, as a model of its own may. */
    private static final class Titles implements EmbeddingModel {
        private RuntimeException failure;
        private boolean hasUsage = true;

        @Override
        public EmbeddingResponse call(EmbeddingRequest request) {
            if (failure != null) throw failure;
            List<Embedding> vectors = request.getInstructions().stream()
                    .map(text -> new Embedding(new float[] {text.length()}, 0))
                    .toList();
            if (!hasUsage) return new EmbeddingResponse(vectors, null);
            DefaultUsage usage = new DefaultUsage(vectors.size(), 0);
            return new EmbeddingResponse(vectors, new EmbeddingResponseMetadata("titles-1", usage));
        }

        @Override
        public String getEmbeddingContent(Document document) {
            return "title: " + document.getText();
        }

        @Override
        public float[] embed(Document document) {
            throw new AssertionError("would not be observed");
        }

        @Override
        public int dimensions() {
            return 1;
        }
    }

    private final Titles titles = new Titles();
    private final EmbeddingModel model = new AssayEmbeddingModel(titles, assay, "greeting");

    @Test
    void recordsTexts() {
        List<float[]> vectors = assay.withUser("ann", () -> model.embed(List.of("a", "bc")));
        assertArrayEquals(new float[] {2}, vectors.get(1));
        Map<String, Object> call = onlyCall();
        assertEquals("ann", call.get("user_id"));
        assertEquals("a\n\nbc", call.get("prompt"));
        assertEquals("titles-1", call.get("model"));
        assertEquals(List.of(2L, 0L), List.of(call.get("input_tokens"), call.get("output_tokens")));
        assertNull(call.get("response"));
    }

    @Test
    void recordsADocumentAsItsModelEmbedsIt() {
        assay.withUser("ann", () -> model.embed(new Document("a")));
        assertEquals("title: a", onlyCall().get("prompt"));
        assertEquals(1, model.dimensions());
    }

    @Test
    void recordsAFailureAndThrowsIt() {
        titles.failure = new IllegalStateException("down");
        assertSame(
                titles.failure,
                assertThrows(IllegalStateException.class, () -> assay.withUser("ann", () -> model.embed("a"))));
        assertEquals(true, onlyCall().get("error"));
    }

    @Test
    void recordsAnAnswerWithoutCounts() {
        titles.hasUsage = false;
        assay.withUser("ann", () -> model.embed("a"));
        assertNull(onlyCall().get("input_tokens"));
    }

    private Map<String, Object> onlyCall() {
        List<Map<String, Object>> events = assay.trackedEvents();
        assertEquals(
                List.of("exposure", "model_call"),
                events.stream().map(event -> event.get("type")).toList());
        return events.get(1);
    }
}
