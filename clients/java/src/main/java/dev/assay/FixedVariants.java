package dev.assay;

import dev.assay.internal.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The config of a client for unit tests. */
final class FixedVariants {
    private FixedVariants() {}

    /** Returns a config in which everybody has these variants, by the experiment's name; null: there is none. */
    static String config(Map<String, String> variants) {
        List<Map<String, Object>> experiments = new ArrayList<>();
        if (variants != null) variants.forEach((name, key) -> experiments.add(everybodyHas(name, key)));
        return Json.write(Map.of("config_version", 0, "experiments", experiments));
    }

    /** An experiment in the config's format. Without a variant key it cannot be read, so it assigns nobody. */
    private static Map<String, Object> everybodyHas(String name, String key) {
        Map<String, Object> experiment = new HashMap<>(Map.of("status", "running", "salt", "", "bucket_count", 1));
        experiment.put("id", name);
        experiment.put("name", name);
        experiment.put("buckets", List.of(List.of(1, 0)));
        experiment.put("variants", List.of(Collections.singletonMap("key", key)));
        return experiment;
    }
}
