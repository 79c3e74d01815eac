package dev.assay.internal.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One answer of {@code GET /v1/config}, ready for look-ups. */
public final class ConfigSnapshot {
    /** Its {@code config_version}. */
    public final long version;

    /** How many experiments were left out because they could not be read. */
    public final int unreadable;

    /** The answer itself, as {@code Json.parse} returned it. */
    public final Object body;

    /** By id and by name. If a name equals another experiment's id, the id wins. */
    private final Map<String, ConfigExperiment> experiments;

    private ConfigSnapshot(long version, int unreadable, Object body, Map<String, ConfigExperiment> experiments) {
        this.version = version;
        this.unreadable = unreadable;
        this.body = body;
        this.experiments = experiments;
    }

    /**
     * Reads a body that {@code Json.parse} returned; null when it is not a config. Leaves out what cannot be
     * read.
     */
    public static ConfigSnapshot parse(Object body) {
        Map<String, Object> fields = Fields.of(body);
        Object version = fields.get("config_version");
        if (!(fields.get("experiments") instanceof List) || !Fields.isInteger(version)) return null;
        List<?> listed = (List<?>) fields.get("experiments");
        List<ConfigExperiment> readable = new ArrayList<>();
        for (Object wire : listed) {
            ConfigExperiment experiment = ConfigExperiment.parse(wire);
            if (experiment != null) readable.add(experiment);
        }
        Map<String, ConfigExperiment> experiments = new HashMap<>();
        for (ConfigExperiment experiment : readable) experiments.put(experiment.name, experiment);
        for (ConfigExperiment experiment : readable) experiments.put(experiment.id, experiment);
        long number = ((Number) version).longValue();
        return new ConfigSnapshot(number, listed.size() - readable.size(), body, experiments);
    }

    /** Finds an experiment by id or name; null when there is none. */
    public ConfigExperiment find(String experiment) {
        return experiments.get(experiment);
    }
}
