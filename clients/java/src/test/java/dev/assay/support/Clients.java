package dev.assay.support;

import dev.assay.AssayClient;
import dev.assay.AssayClientBuilder;
import dev.assay.internal.json.Json;

/** Clients without a service: nothing listens at their address. */
public final class Clients {
    private static final String NOBODY = "http://127.0.0.1:9";

    private Clients() {}

    /** Makes a client that starts with a config (null for none) and reports no exposures. */
    public static AssayClient with(Object config) {
        return with(config, new RecordingLog());
    }

    /** Makes such a client with this log. */
    public static AssayClient with(Object config, System.Logger log) {
        return offline(log)
                .trackExposures(false)
                .bootstrap(config == null ? null : Json.write(config))
                .build();
    }

    /** Starts building one with this log. */
    public static AssayClientBuilder offline(System.Logger log) {
        return AssayClient.builder().apiKey("svc_pk_1").baseUrl(NOBODY).logger(log);
    }
}
