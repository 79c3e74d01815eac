package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.support.RecordingLog;
import dev.assay.support.ScenarioServer;
import dev.assay.support.TlsFront;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TlsTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Map<String, ?> BUSINESS_EVENT =
            Map.of("experiment_id", "x", "user_id", "u", "business_metric", "m");

    private final RecordingLog log = new RecordingLog();
    private SSLContext usual;

    @BeforeEach
    void play() throws Exception {
        usual = SSLContext.getDefault();
        Map<String, Object> config = Map.of("config_version", 1, "experiments", List.of());
        Map<String, Object> ack = Map.of("accepted", 1, "config_version", 1, "rejected", List.of());
        ScenarioServer.get()
                .install(Map.of(
                        "/v1/config", List.of(Map.of("status", 200, "body", config)),
                        "/v1/events", List.of(Map.of("status", 202, "body", ack))));
    }

    @AfterEach
    void restore() {
        SSLContext.setDefault(usual);
    }

    @Test
    void eventsArriveOverConnectionsThatAreKept() throws Exception {
        try (TlsFront front = new TlsFront(ScenarioServer.get().url(), "ip:127.0.0.1")) {
            SSLContext.setDefault(front.trust());
            try (AssayClient client = client(front)) {
                assertTrue(client.awaitReady(LONG));
                for (int i = 0; i < 1_000; i++) client.track("business_event", BUSINESS_EVENT);
                assertTrue(client.flush(LONG));
            }
            assertEquals(11, ScenarioServer.get().requests().size(), "the config, and ten batches");
            assertTrue(front.connections.get() <= 2, front.connections + " connections");
        }
    }

    @Test
    void aCertificateOfNobodyKnownGetsNeitherKeyNorEvents() throws Exception {
        try (TlsFront front = new TlsFront(ScenarioServer.get().url(), "ip:127.0.0.1")) {
            checkRefusal(front);
        }
    }

    @Test
    void aCertificateForAnotherNameGetsNeitherKeyNorEvents() throws Exception {
        try (TlsFront front = new TlsFront(ScenarioServer.get().url(), "dns:assay.example")) {
            SSLContext.setDefault(front.trust());
            checkRefusal(front);
        }
    }

    private void checkRefusal(TlsFront front) throws Exception {
        try (AssayClient client = client(front)) {
            assertFalse(client.awaitReady(SHORT));
            client.track("business_event", BUSINESS_EVENT);
            assertFalse(client.flush(SHORT));
            client.close(SHORT);
        }
        assertEquals(List.of(), ScenarioServer.get().requests());
        assertTrue(front.connections.get() > 0);
        assertTrue(
                log.lines().stream().anyMatch(line -> line.contains("SSLHandshakeException")), log.lines()::toString);
    }

    private AssayClient client(TlsFront front) {
        return AssayClient.builder()
                .apiKey("k")
                .baseUrl(front.url())
                .logger(log)
                .build();
    }
}
