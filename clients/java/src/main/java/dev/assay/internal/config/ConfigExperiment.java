package dev.assay.internal.config;

import dev.assay.internal.bucketing.BucketMap;
import dev.assay.internal.bucketing.Bucketing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An experiment of the config, prepared for assignment. */
public final class ConfigExperiment {
    /** Canonical. */
    public final String id;

    /** Unique within the organization. */
    public final String name;

    /** Values of fields that an entry may lack if its experiment is not running: nobody has a variant. */
    private static final Map<String, Object> ENDED =
            Map.of("salt", "", "bucket_count", 1L, "buckets", List.of(), "variants", List.of(), "qa_users", Map.of());

    private final Bucketing bucketing;
    private final BucketMap buckets;

    /** In the order that the bucket map counts them. */
    private final Assignment[] places;

    private final QaUsers qaUsers;

    /** The names of business metrics that its metrics read; null when the config does not list them. */
    public final List<?> businessMetrics;

    /** What it assigns instead of users; null: users, also while a variant is shipped to everybody. */
    public final String unit;

    private ConfigExperiment(Map<String, Object> fields, BucketMap buckets, List<ConfigVariant> variants) {
        this.id = (String) fields.get("id");
        this.name = (String) fields.get("name");
        this.bucketing =
                new Bucketing((String) fields.get("salt"), id, ((Number) fields.get("bucket_count")).longValue());
        this.buckets = buckets;
        boolean isOpen = "running".equals(fields.get("status")) && !Boolean.TRUE.equals(fields.get("shipped"));
        this.unit = isOpen && fields.get("unit") instanceof String ? (String) fields.get("unit") : null;
        this.places = variants.stream()
                .map(variant -> new Assignment(id, variant, unit))
                .toArray(Assignment[]::new);
        Object names = fields.get("business_metrics");
        this.businessMetrics = "running".equals(fields.get("status")) && names instanceof List ? (List<?>) names : null;
        this.qaUsers = QaUsers.parse(fields.get("qa_users"), fields.get("salt") + ":" + id + ":");
    }

    /** Reads an experiment; null when it cannot be read. */
    static ConfigExperiment parse(Object wire) {
        Map<String, Object> fields = withFillers(Fields.of(wire));
        for (String name : List.of("id", "name", "status", "salt")) {
            if (!(fields.get(name) instanceof String)) return null;
        }
        Object bucketCount = fields.get("bucket_count");
        if (!Fields.isInteger(bucketCount) || ((Number) bucketCount).longValue() <= 0) return null;
        BucketMap buckets = parseBuckets(fields.get("buckets"));
        List<ConfigVariant> variants = parseVariants(fields);
        return buckets == null || variants == null ? null : new ConfigExperiment(fields, buckets, variants);
    }

    private static Map<String, Object> withFillers(Map<String, Object> fields) {
        if ("running".equals(fields.get("status"))) return fields;
        Map<String, Object> filled = new HashMap<>(fields);
        filled.putAll(ENDED);
        return filled;
    }

    private static BucketMap parseBuckets(Object wire) {
        if (!(wire instanceof List)) return null;
        List<?> runs = (List<?>) wire;
        long[] ends = new long[runs.size()];
        int[] owners = new int[runs.size()];
        for (int i = 0; i < ends.length; i++) {
            List<?> run = runs.get(i) instanceof List ? (List<?>) runs.get(i) : List.of();
            if (run.size() != 2 || !Fields.isInteger(run.get(0)) || !Fields.isInteger(run.get(1))) return null;
            ends[i] = ((Number) run.get(0)).longValue();
            long owner = ((Number) run.get(1)).longValue();
            owners[i] = owner == (int) owner ? (int) owner : BucketMap.NOBODY;
        }
        return new BucketMap(ends, owners);
    }

    /** The bucket map refers to variants by position. If one were missing, it would refer to the wrong ones. */
    private static List<ConfigVariant> parseVariants(Map<String, Object> experiment) {
        Object wire = experiment.get("variants");
        if (!(wire instanceof List)) return null;
        Object id = experiment.get("id");
        boolean isShipped = Boolean.TRUE.equals(experiment.get("shipped"));
        List<ConfigVariant> variants = new ArrayList<>();
        for (Object item : (List<?>) wire) {
            Map<String, Object> fields = Fields.of(item);
            if (!(fields.get("key") instanceof String)) return null;
            String key = (String) fields.get("key");
            // A prompt or variables of a wrong type are ignored: the variant still assigns.
            String prompt = fields.get("prompt") instanceof String ? (String) fields.get("prompt") : null;
            boolean isEnabled = !Boolean.FALSE.equals(fields.get("enabled"));
            Map<String, Object> variables = Fields.of(fields.get("variables"));
            variants.add(new ConfigVariant(key, id + " " + key, isEnabled, isShipped, prompt, variables));
        }
        return variants;
    }

    /**
     * Returns the user's place, or null for control behavior: the experiment is not running, the
     * user's bucket belongs to nobody, or the variant is switched off. A QA user has the listed
     * variant. Makes no object, unless there are QA users.
     */
    public Assignment assign(String user) {
        return assign(user, user);
    }

    /** As above, for a unit of the user: the unit decides the bucket, and the user whether QA users' variants apply. */
    public Assignment assign(String user, String unit) {
        int listed = qaUsers.indexOf(user);
        if (listed >= 0 && listed < places.length) return places[listed];
        int index = buckets.ownerOf(bucketing.bucketOf(unit));
        if (index < 0 || index >= places.length) return null;
        Assignment place = places[index];
        return place.variant.enabled ? place : null;
    }

    /** Returns the place of a variant, switched off or not; null when it does not exist or the key is null. */
    public Assignment place(String key) {
        for (Assignment place : places) if (place.variant.key.equals(key)) return place;
        return null;
    }

    /** Returns whether any user can have a variant. */
    public boolean isRunning() {
        return places.length > 0;
    }
}
