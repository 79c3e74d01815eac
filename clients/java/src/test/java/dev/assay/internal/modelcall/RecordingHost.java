package dev.assay.internal.modelcall;

import dev.assay.Mask;
import dev.assay.internal.config.Assignment;
import dev.assay.internal.config.ConfigExperiment;
import dev.assay.internal.config.ConfigSnapshot;
import dev.assay.internal.event.EventRow;
import dev.assay.internal.json.Json;
import dev.assay.support.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A client with a loaded config. It keeps its events as they would be sent, without ids and times.
 */
public final class RecordingHost implements Host {
    public final List<Map<String, Object>> events = Collections.synchronizedList(new ArrayList<>());
    public final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
    Mask mask;
    private final ConfigSnapshot config;

    /** Makes one. */
    public RecordingHost(Object config) {
        this.config = ConfigSnapshot.parse(config);
    }

    /** Returns what was recorded about the calls, without experiment and user. */
    public List<Map<String, Object>> calls() {
        return events.stream()
                .filter(event -> event.get("type").equals("model_call"))
                .map(LinkedHashMap::new)
                .peek(event -> event.keySet().removeAll(List.of("type", "experiment_id", "user_id", "variant")))
                .collect(Collectors.toList());
    }

    @Override
    public Assignment findAssignment(String experiment, String user, String unit) {
        ConfigExperiment found = config.find(experiment);
        return found == null ? null : found.assign(user);
    }

    @Override
    public void track(String event, Map<String, ?> payload) {
        byte[] row = EventRow.of(event, payload, () -> 0, () -> "id").row;
        Map<String, Object> sent = Vectors.object(Json.parse(new String(row, StandardCharsets.UTF_8)));
        sent.keySet().removeAll(List.of("event_id", "timestamp"));
        events.add(sent);
    }

    @Override
    public Mask mask() {
        return mask;
    }

    @Override
    public void warnOnce(String message) {
        warnings.add(message);
    }
}
