package dev.assay.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import dev.assay.support.Vectors;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class EventRowTest {
    private static final long NOW = 1_767_323_045_006L;

    private static Map<String, Object> sent(Map<String, ?> payload) {
        KeptEvent event = EventRow.of("exposure", payload, () -> NOW, () -> "id");
        return Vectors.object(Json.parse(new String(event.row, StandardCharsets.UTF_8)));
    }

    private static String refusal(Map<String, ?> payload) {
        return assertThrows(UnsendableEventException.class, () -> sent(payload)).getMessage();
    }

    @TestFactory
    Stream<DynamicTest> timestamps() {
        Instant at = Instant.ofEpochMilli(1_700_000_000_001L);
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("an Instant", at);
        given.put("an Instant, nanoseconds cut", at.plusNanos(999_999));
        given.put("an OffsetDateTime", at.atOffset(ZoneOffset.ofHours(5)));
        given.put("a ZonedDateTime", at.atZone(ZoneId.of("America/St_Johns")));
        given.put("a Date", Date.from(at));
        given.put("a Double", 1_700_000_000_001.75);
        given.put("a BigDecimal", new BigDecimal("1700000000001.5"));
        given.put("text", new StringBuilder("2023-11-14T22:13:20.001+00:00"));
        given.put("an offset beyond the JDK's", "2023-11-15T21:13:20.001+23:00");
        return given.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(
                        entry.getKey(),
                        () -> assertEquals(
                                "2023-11-14T22:13:20.001Z",
                                sent(Map.of("timestamp", entry.getValue())).get("timestamp"))));
    }

    @TestFactory
    Stream<DynamicTest> noTimestamps() {
        return Stream.<Object>of(
                        "2023-11-14T22:13:20+24:00",
                        "2023-11-14T22:13:20+00:60",
                        "2023-11-14T24:00:00Z",
                        "2023-11-14T22:13:60Z",
                        "0000-01-01T00:00:00+00:01",
                        "\u0662023-11-14T22:13:20Z",
                        "2023-11-14T22:13:20Z\n",
                        Instant.MAX,
                        Instant.MIN,
                        Long.MAX_VALUE,
                        Double.MAX_VALUE,
                        new Date(Long.MIN_VALUE),
                        'x',
                        List.of())
                .map(each -> DynamicTest.dynamicTest(
                        "" + each, () -> assertEquals("timestamp is not a date", refusal(Map.of("timestamp", each)))));
    }

    @Test
    void saysWhatToDoAboutALocalDateTime() {
        assertTrue(refusal(Map.of("timestamp", LocalDateTime.now())).contains("atZone"));
    }

    @Test
    void aClockOutsideFourDigitYearsIsNoDate() {
        for (long now : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThrows(
                    UnsendableEventException.class, () -> EventRow.of("exposure", Map.of(), () -> now, () -> "id"));
        }
    }

    @Test
    void laterChangesOfThePayloadDoNotReachTheRow() {
        Map<String, Object> nested = new HashMap<>(Map.of("a", 1));
        Map<String, Object> payload = new HashMap<>(Map.of("metadata", nested));
        KeptEvent event = EventRow.of("exposure", payload, () -> NOW, () -> "id");
        nested.put("a", 2);
        payload.clear();
        assertTrue(new String(event.row, StandardCharsets.UTF_8).contains("\"metadata\":{\"a\":1}"));
    }

    @Test
    void thePayloadItselfIsLeftAlone() {
        Map<String, Object> payload = new HashMap<>(Map.of("user_id", "u"));
        sent(payload);
        assertEquals(Map.of("user_id", "u"), payload);
    }

    @Test
    void aMebibyteIsCountedInBytes() {
        int others = EventRow.of("exposure", Map.of("x", ""), () -> NOW, () -> "id").row.length;
        int room = (1024 * 1024 - others) / 2;
        assertEquals(room, ((String) sent(Map.of("x", "\u00e9".repeat(room))).get("x")).length());
        assertTrue(refusal(Map.of("x", "\u00e9".repeat(room + 1))).startsWith("over 1 MiB: 1048"));
    }

    @Test
    void anEventIdMayBeAUuid() {
        UUID id = UUID.randomUUID();
        assertEquals(id.toString(), sent(Map.of("event_id", id)).get("event_id"));
    }

    @Test
    void madeIdsHaveToBeIdsToo() {
        for (String id : new String[] {null, "", "x".repeat(129), "\ud83d\ude00".repeat(129)}) {
            assertThrows(UnsendableEventException.class, () -> EventRow.of("exposure", Map.of(), () -> NOW, () -> id));
        }
    }
}
