package dev.assay.internal.config;

import java.util.LinkedHashMap;
import java.util.Map;

/** Forced variants: a variant's key by the experiment's name or id. */
public final class Overrides {
    private final Map<String, String> variants;

    /** Copies the map. */
    public Overrides(Map<String, String> variants) {
        this.variants = Map.copyOf(variants);
    }

    /** Returns the key for the experiment, by id and otherwise by name; null when there is none. */
    public String keyFor(ConfigExperiment experiment) {
        String byId = variants.get(experiment.id);
        return byId == null ? variants.get(experiment.name) : byId;
    }

    /**
     * Returns the payload, marked as a test event in its metadata when a variant is forced in its
     * experiment. The service leaves such events out of the analysis.
     *
     * @param payload of an event
     * @param snapshot the config; when null, only an override with exactly the event's text applies
     */
    public Map<String, ?> mark(Map<String, ?> payload, ConfigSnapshot snapshot) {
        if (variants.isEmpty() || payload == null || !isInForce(payload.get("experiment_id"), snapshot)) return payload;
        Map<String, Object> marked = new LinkedHashMap<>(payload);
        Map<Object, Object> metadata = new LinkedHashMap<>();
        if (marked.get("metadata") instanceof Map) metadata.putAll((Map<?, ?>) marked.get("metadata"));
        metadata.put("assay_test", true);
        marked.put("metadata", metadata);
        return marked;
    }

    private boolean isInForce(Object experiment, ConfigSnapshot snapshot) {
        if (!(experiment instanceof String)) return false;
        if (snapshot == null) return variants.containsKey(experiment);
        ConfigExperiment found = snapshot.find((String) experiment);
        return found != null && found.place(keyFor(found)) != null;
    }
}
