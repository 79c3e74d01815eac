package dev.assay.support;

import dev.assay.AssayClient;
import dev.assay.AssayClientBuilder;
import dev.assay.internal.json.Json;

/** Clients that reach no service: nobody listens there. */
public final class Clients {
    private static final String NOBODY = "http://127.0.0.1:9";

    private Clients() {}

    /** Makes one that begins with a config, null for none, and reports no exposures. */
    public static AssayClient with(Object config) {
        return offline(new RecordingLog())
                .trackExposures(false)
                .bootstrap(config == null ? null : Json.write(config))
                .build();
    }

    /** Begins one that logs there. */
    public static AssayClientBuilder offline(System.Logger log) {
        return AssayClient.builder().apiKey("svc_pk_1").baseUrl(NOBODY).logger(log);
    }
}
