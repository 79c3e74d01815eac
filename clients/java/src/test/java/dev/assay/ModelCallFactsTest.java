package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelCallFactsTest {
    @Test
    void holdsWhatItIsToldUnderTheNamesOfTheEvent() {
        ModelCallFacts facts = ModelCallFacts.builder()
                .provider("openai")
                .requestedModel("asked")
                .model("answered")
                .serviceTier("flex")
                .cacheWrite5mTokens(5)
                .cacheWrite1hTokens(6)
                .audioInputTokens(7)
                .audioOutputTokens(8)
                .usageEstimated(true)
                .inputTokens(3)
                .cachedInputTokens(2L)
                .outputTokens(4.0)
                .reasoningTokens(0)
                .costUsd(0.25)
                .finishReason("stop")
                .errorType("Oops")
                .timeToFirstTokenMs(12)
                .prompt("p")
                .response("r")
                .build();
        Map<String, Object> counts =
                Map.of("input_tokens", 3L, "cached_input_tokens", 2L, "output_tokens", 4L, "reasoning_tokens", 0L);
        Map<String, Object> others = Map.of(
                "provider", "openai",
                "requested_model", "asked",
                "model", "answered",
                "cost_usd", 0.25,
                "finish_reason", "stop",
                "error_type", "Oops",
                "time_to_first_token_ms", 12.0,
                "prompt", "p",
                "response", "r");
        Map<String, Object> all = new HashMap<>(counts);
        all.putAll(others);
        all.putAll(Map.of("service_tier", "flex", "cache_write_5m_tokens", 5L, "cache_write_1h_tokens", 6L));
        all.putAll(Map.of("audio_input_tokens", 7L, "audio_output_tokens", 8L, "usage_estimated", true));
        assertEquals(all, facts.fields());
        assertEquals(all, facts.toBuilder().build().fields());
    }

    @Test
    void holdsTheSettingsOfTheRequestAsMetadata() {
        String request = "{\"model\": \"m\", \"seed\": 7, \"temperature\": 0.2}";
        ModelCallFacts.Builder facts = ModelCallFacts.fromWire(request, null).toBuilder();
        assertEquals(
                Map.of("seed", 7L, "temperature", 0.5, "top_p", 0.75, "max_tokens", 60L),
                facts.temperature(0.5f)
                        .topP(0.75)
                        .maxTokens(60)
                        .build()
                        .fields()
                        .get("metadata"));
        facts.temperature(Double.NaN).topP(null).maxTokens(null).seed(Double.POSITIVE_INFINITY);
        assertEquals(Map.of("requested_model", "m"), facts.build().fields());
    }

    @Test
    void takesNoValueThatCannotBeOne() {
        ModelCallFacts.Builder known =
                ModelCallFacts.builder().model("m").inputTokens(1).costUsd(1);
        assertEquals(
                Map.of(),
                known.model("").inputTokens(null).costUsd(Double.NaN).build().fields());
        assertEquals(
                Map.of(),
                ModelCallFacts.builder()
                        .usageEstimated(true)
                        .usageEstimated(false)
                        .build()
                        .fields());
        for (double count : new double[] {-1, 1.5, Double.NaN, Double.POSITIVE_INFINITY, 1e17}) {
            assertEquals(
                    Map.of(),
                    ModelCallFacts.builder().outputTokens(count).build().fields());
        }
        for (double amount : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertEquals(
                    Map.of(),
                    ModelCallFacts.builder().timeToFirstTokenMs(amount).build().fields());
        }
    }

    @Test
    void cannotBeChangedAndKeepsTextsOutOfLogs() {
        ModelCallFacts.Builder builder = ModelCallFacts.builder().prompt("secret");
        ModelCallFacts facts = builder.build();
        builder.prompt("other");
        assertEquals(Map.of("prompt", "secret"), facts.fields());
        assertThrows(UnsupportedOperationException.class, () -> facts.fields().clear());
        assertEquals("ModelCallFacts[prompt]", facts.toString());
    }
}
