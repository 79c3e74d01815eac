package dev.assay.openfeature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.assay.AssayClient;
import dev.openfeature.sdk.Client;
import dev.openfeature.sdk.ErrorCode;
import dev.openfeature.sdk.EvaluationContext;
import dev.openfeature.sdk.FlagEvaluationDetails;
import dev.openfeature.sdk.ImmutableContext;
import dev.openfeature.sdk.MutableStructure;
import dev.openfeature.sdk.MutableTrackingEventDetails;
import dev.openfeature.sdk.OpenFeatureAPI;
import dev.openfeature.sdk.ProviderState;
import dev.openfeature.sdk.Value;
import dev.openfeature.sdk.exceptions.FatalError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Through the SDK, as an application uses it. */
class AssayProviderTest {
    private static final EvaluationContext ANN = new ImmutableContext("ann");
    private static final EvaluationContext NOBODY = new ImmutableContext();
    private static final String CONFIG = """
            {"config_version": 1, "experiments": [
              {"id": "e1", "name": "greeting", "version": 3, "status": "running", "salt": "s", "bucket_count": 1,
               "buckets": [[1, 0]], "variants": [{"key": "short", "prompt": "Be brief.",
               "variables": {"length": 2, "heat": 0.5, "style": {"tone": ["warm"]}, "loud": true}}]},
              {"id": "e2", "name": "over", "version": 1, "status": "stopped"},
              {"id": "e3", "name": "kept", "version": 2, "status": "running", "shipped": true, "salt": "s",
               "bucket_count": 1, "buckets": [[1, 0]], "variants": [{"key": "long"}]},
              {"id": "e4", "name": "outside", "version": 1, "status": "running", "salt": "s", "bucket_count": 1,
               "buckets": [[1, -1]], "variants": [{"key": "a"}]}]}
            """;

    @AfterEach
    void shutDown() {
        OpenFeatureAPI.getInstance().shutdown();
    }

    private static Client flags(AssayClient assay) {
        OpenFeatureAPI.getInstance().setProviderAndWait(new AssayProvider(assay));
        return OpenFeatureAPI.getInstance().getClient();
    }

    private static AssayClient configured() {
        return AssayClient.builder().offline(true).bootstrap(CONFIG).build();
    }

    @Test
    void aStringFlagIsTheVariantWithItsReasonAndMetadata() {
        Client flags = flags(configured());
        assertEquals("assay", OpenFeatureAPI.getInstance().getProviderMetadata().getName());
        FlagEvaluationDetails<String> details = flags.getStringDetails("greeting", "none", ANN);
        assertEquals(
                List.of("short", "short", "SPLIT"),
                List.of(details.getValue(), details.getVariant(), details.getReason()));
        assertEquals("e1", details.getFlagMetadata().getString("experimentId"));
        assertEquals(3, details.getFlagMetadata().getLong("version"));
        assertEquals("Be brief.", details.getFlagMetadata().getString("prompt"));
        assertEquals("short", flags.getStringValue("e1", "none", ANN));
        assertEquals("STATIC", flags.getStringDetails("kept", "none", ANN).getReason());
        for (Map.Entry<String, String> flag :
                Map.of("over", "DISABLED", "outside", "DEFAULT").entrySet()) {
            FlagEvaluationDetails<String> none = flags.getStringDetails(flag.getKey(), "none", ANN);
            assertEquals(List.of("none", flag.getValue()), List.of(none.getValue(), none.getReason()));
            assertNull(none.getVariant());
            assertNull(none.getErrorCode());
        }
    }

    @Test
    void theAttributesOfTheContextNameTheUnit() throws Exception {
        String units = Files.readString(Path.of("../../vectors/units.json"));
        String config = units.substring(units.indexOf("\"config\": ") + 10, units.indexOf("\"cases\": ") - 3);
        Client flags =
                flags(AssayClient.builder().offline(true).bootstrap(config).build());
        assertEquals("treatment none", answers(flags, Map.of("conversation_id", "c-1")));
        assertEquals("none treatment", answers(flags, Map.of("run_id", "r-1")));
        assertEquals("treatment treatment", answers(flags, Map.of("unit_id", "c-1", "run_id", "r-3")));
        assertEquals("none none", answers(flags, Map.of()));
    }

    private static String answers(Client flags, Map<String, String> attributes) {
        Map<String, Value> values = new HashMap<>();
        attributes.forEach((name, id) -> values.put(name, new Value(id)));
        EvaluationContext context = new ImmutableContext("ann", values);
        return flags.getStringValue("by-conversation", "none", context) + " "
                + flags.getStringValue("by-run", "none", context);
    }

    @Test
    void anObjectFlagIsTheDefaultWithTheVariablesInPlace() {
        MutableStructure defaults = new MutableStructure()
                .add("length", 9)
                .add("heat", 1.0)
                .add("mine", "kept")
                .add("loud", "of another kind");
        Value value = flags(configured()).getObjectValue("greeting", new Value(defaults), ANN);
        Map<String, Object> fields = value.asStructure().asObjectMap();
        assertEquals(
                Map.of(
                        "length",
                        2,
                        "heat",
                        0.5,
                        "mine",
                        "kept",
                        "loud",
                        "of another kind",
                        "style",
                        Map.of("tone", List.of("warm"))),
                fields);
    }

    @Test
    void aKeyWithAnEndingIsThatPartOfTheContent() {
        Client flags = flags(configured());
        for (String name : List.of("greeting", "e1")) {
            FlagEvaluationDetails<String> prompt = flags.getStringDetails(name + ".prompt", "none", ANN);
            assertEquals(
                    List.of("Be brief.", "short", "SPLIT"),
                    List.of(prompt.getValue(), prompt.getVariant(), prompt.getReason()));
            Value variables =
                    flags.getObjectValue(name + ".variables", new Value(new MutableStructure().add("length", 9)), ANN);
            assertEquals(2, variables.asStructure().asObjectMap().get("length"));
        }
        assertEquals(
                ErrorCode.TYPE_MISMATCH,
                flags.getStringDetails("greeting.variables", "none", ANN).getErrorCode());
        assertEquals(
                ErrorCode.TYPE_MISMATCH,
                flags.getObjectDetails("greeting.prompt", new Value(new MutableStructure()), ANN)
                        .getErrorCode());
        assertEquals(
                ErrorCode.FLAG_NOT_FOUND,
                flags.getStringDetails("unknown.prompt", "none", ANN).getErrorCode());
    }

    @Test
    void whatCannotBeEvaluatedIsTheDefaultWithAnError() {
        Client flags = flags(configured());
        assertEquals(
                ErrorCode.FLAG_NOT_FOUND,
                flags.getStringDetails("unknown", "none", ANN).getErrorCode());
        assertEquals(
                ErrorCode.FLAG_NOT_FOUND,
                flags.getBooleanDetails("unknown", true, ANN).getErrorCode());
        assertEquals(
                ErrorCode.FLAG_NOT_FOUND,
                flags.getStringDetails(null, "none", ANN).getErrorCode());
        assertEquals(
                ErrorCode.TARGETING_KEY_MISSING,
                flags.getStringDetails("greeting", "none", NOBODY).getErrorCode());
        assertEquals(
                ErrorCode.INVALID_CONTEXT,
                flags.getStringDetails("greeting", "none", new ImmutableContext("u".repeat(257)))
                        .getErrorCode());
        assertEquals(
                ErrorCode.TYPE_MISMATCH,
                flags.getBooleanDetails("greeting", true, ANN).getErrorCode());
        assertEquals(
                ErrorCode.TYPE_MISMATCH,
                flags.getIntegerDetails("greeting", 1, ANN).getErrorCode());
        assertEquals(
                ErrorCode.TYPE_MISMATCH,
                flags.getDoubleDetails("greeting", 1.0, ANN).getErrorCode());
        assertEquals(
                ErrorCode.TYPE_MISMATCH,
                flags.getObjectDetails("greeting", new Value("a"), ANN).getErrorCode());
    }

    @Test
    void anOutcomeWithoutAUserIsOneWarning() {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getLevel() + " " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.assay");
        logger.addHandler(handler);
        try {
            AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));
            Client flags = flags(assay);
            for (int time = 0; time < 2; time++) flags.track("thumbs_up", NOBODY);
            assertEquals(List.of(), assay.trackedEvents());
        } finally {
            logger.removeHandler(handler);
        }
        assertEquals(
                List.of("WARNING an outcome was not tracked: set the targeting key in the context to the user's id"),
                lines);
    }

    @Test
    void anOutcomeBelongsToEachExperimentOfTheUserOrToTheNamedOne() {
        AssayClient assay = AssayClient.forTests(Map.of("greeting", "short", "tone", "warm"));
        Client flags = flags(assay);
        flags.track("order_value", ANN, new MutableTrackingEventDetails(19.5).add("currency", "EUR"));
        flags.track("thumbs_up", ANN, new MutableTrackingEventDetails().add("experiment", "tone"));
        flags.track("thumbs_up", NOBODY);
        List<Map<String, Object>> events = assay.trackedEvents();
        assertEquals(3, events.size());
        for (Map<String, Object> event : events.subList(0, 2)) {
            assertEquals(
                    List.of("order_value", 19.5, "ann"),
                    List.of(event.get("business_metric"), event.get("value"), event.get("user_id")));
            assertEquals(Map.of("currency", "EUR"), event.get("metadata"));
            assertEquals("tone".equals(event.get("experiment_id")) ? "warm" : "short", event.get("variant"));
        }
        assertEquals(
                List.of("tone", 1L),
                List.of(events.get(2).get("experiment_id"), events.get(2).get("value")));
        assertNull(events.get(2).get("metadata"));
    }

    @Test
    void shutdownClosesTheClientForGood() {
        AssayClient assay = configured();
        AssayProvider provider = new AssayProvider(assay);
        OpenFeatureAPI.getInstance().setProviderAndWait(provider);
        assertEquals(
                ProviderState.READY, OpenFeatureAPI.getInstance().getClient().getProviderState());
        provider.shutdown();
        assertThrows(FatalError.class, () -> provider.initialize(ANN));
    }
}
