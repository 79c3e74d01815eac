package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.AssayClient;
import dev.assay.AssayClientBuilder;
import dev.assay.internal.json.Json;
import dev.assay.internal.log.ClientLog;
import dev.assay.support.RecordingLog;
import dev.assay.support.ScenarioServer;
import dev.assay.support.Vectors;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CorrectedClockTest {
    private static final long HOUR_MS = 3_600_000;
    private static final Map<String, Object> CONFIG = Map.of("config_version", 1, "experiments", List.of());
    private static final Map<String, Object> ACK = Map.of("accepted", 1, "config_version", 1, "rejected", List.of());

    private final RecordingLog lines = new RecordingLog();

    @TestFactory
    Stream<DynamicTest> clock() {
        return Vectors.tests(
                "clock",
                vector -> assertEquals(
                        vector.get("offset_ms"),
                        CorrectedClock.offsetAfter(
                                Vectors.integer(vector.get("known_offset_ms")),
                                Vectors.integer(vector.get("sent_at_ms")),
                                Vectors.integer(vector.get("answered_at_ms")),
                                (String) vector.get("date"))));
    }

    @Test
    void isCorrectedWithOneWarning() {
        Clock fixed = Clock.fixed(Instant.ofEpochMilli(1_783_335_600_000L), ZoneOffset.UTC);
        CorrectedClock clock = new CorrectedClock(fixed, new ClientLog(lines, System::nanoTime));
        for (int minute = 0; minute < 2; minute++) {
            String date = "Mon, 06 Jul 2026 12:0" + minute + ":00 GMT";
            CorrectedClock.learn(clock, Answer.none("").timed(fixed.millis(), fixed.millis(), date));
            assertEquals(fixed.millis() + HOUR_MS + minute * 60_000L, clock.millis());
            assertEquals(clock.millis(), clock.instant().toEpochMilli());
        }
        assertEquals(List.of("WARNING the clock is 3600 s behind: event times are corrected"), lines.lines());
        CorrectedClock.learn(fixed, Answer.none(""));
    }

    @Test
    void theTimesOfLaterEventsAreCorrectedByAConfigAndByAnAcknowledgement() throws Exception {
        script(HOUR_MS, 2 * HOUR_MS);
        List<Instant> times = timesOfTwoEvents(builder());
        assertNear(HOUR_MS, times.get(0));
        assertNear(2 * HOUR_MS, times.get(1));
    }

    @Test
    void aClockOfTheCallerIsNotCorrected() throws Exception {
        script(HOUR_MS, HOUR_MS);
        List<Instant> times = timesOfTwoEvents(builder().clock(Clock.systemUTC()));
        for (Instant time : times) assertNear(0, time);
        assertEquals(List.of(), lines.lines());
    }

    private static List<Instant> timesOfTwoEvents(AssayClientBuilder builder) throws Exception {
        try (AssayClient client = builder.build()) {
            assertTrue(client.awaitReady(Duration.ofSeconds(30)));
            for (int i = 0; i < 2; i++) {
                client.track("business_event", Map.of("experiment_id", "x", "user_id", "u"));
                assertTrue(client.flush(Duration.ofSeconds(30)));
            }
        }
        return ScenarioServer.get().requests().stream()
                .filter(request -> "/v1/events".equals(request.get("path")))
                .map(request -> Vectors.object(Json.parse((String) request.get("body"))))
                .map(body -> Vectors.objects(body.get("events")).get(0).get("timestamp"))
                .map(time -> Instant.parse((String) time))
                .collect(Collectors.toList());
    }

    private static void assertNear(long offsetMs, Instant time) {
        long off = Duration.between(Instant.now().plusMillis(offsetMs), time).toMillis();
        assertTrue(Math.abs(off) < 30_000, () -> off + " ms");
    }

    private AssayClientBuilder builder() throws Exception {
        return AssayClient.builder()
                .apiKey("svc_pk_1")
                .baseUrl(ScenarioServer.get().url())
                .logger(lines);
    }

    private static void script(long configMs, long eventsMs) throws Exception {
        ScenarioServer.get()
                .install(Map.of(
                        "/v1/config",
                        List.of(Map.of("status", 200, "headers", dated(configMs), "body", CONFIG)),
                        "/v1/events",
                        List.of(Map.of("status", 202, "headers", dated(eventsMs), "body", ACK))));
    }

    private static Map<String, String> dated(long offsetMs) {
        Instant time = Instant.now().plusMillis(offsetMs);
        return Map.of("Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC)));
    }
}
