package dev.assay.internal.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class JsonTest {
    @TestFactory
    Stream<DynamicTest> writes() {
        Instant at = Instant.ofEpochMilli(1_700_000_000_001L);
        UUID id = UUID.fromString("0190a6c2-7b5e-7c3d-9f10-3a5b7c9d1e2f");
        Map<String, Object> ordered = new LinkedHashMap<>();
        ordered.put("b", 1);
        ordered.put("a", null);
        Object[][] table = {
            {null, "null"},
            {true, "true"},
            {1, "1"},
            {1L << 53, "9007199254740992"},
            {(short) -1, "-1"},
            {(byte) 7, "7"},
            {0.1f, "0.1"},
            {0.1 + 0.2, "0.30000000000000004"},
            {new BigInteger("12345678901234567890"), "12345678901234567890"},
            {new BigDecimal("1.50"), "1.50"},
            {new AtomicInteger(3), "3"},
            {'x', "\"x\""},
            {new StringBuilder("sb"), "\"sb\""},
            {TimeUnit.DAYS, "\"DAYS\""},
            {id, "\"" + id + "\""},
            {at, "\"2023-11-14T22:13:20.001Z\""},
            {Date.from(at), "\"2023-11-14T22:13:20.001Z\""},
            {at.atZone(ZoneId.of("Asia/Kolkata")), "\"2023-11-14T22:13:20.001Z\""},
            {at.atOffset(ZoneOffset.ofHours(-7)), "\"2023-11-14T22:13:20.001Z\""},
            {ordered, "{\"b\":1,\"a\":null}"},
            {Arrays.asList(1, null, "x"), "[1,null,\"x\"]"},
            {new int[] {1, 2}, "[1,2]"},
            {new Object[] {"a", new double[0]}, "[\"a\",[]]"},
            {"\"\\/\b\f\n\r\t\u0000\u001f\u007f", "\"\\\"\\\\/\\u0008\\u000c\\n\\r\\t\\u0000\\u001f\u007f\""},
            {"\ud83d\ude00 \ude00\ud83d \ud83d", "\"\ud83d\ude00 \\ude00\\ud83d \\ud83d\""},
        };
        return Stream.of(table)
                .map(row -> DynamicTest.dynamicTest("" + row[1], () -> assertEquals(row[1], Json.write(row[0]))));
    }

    @TestFactory
    Stream<DynamicTest> refusesToWrite() {
        Map<String, Object> circle = new HashMap<>();
        circle.put("self", List.of(circle));
        Map<Object, Object> numbered = new HashMap<>();
        numbered.put(1, 1);
        Map<Object, Object> nameless = new HashMap<>();
        nameless.put(null, 1);
        Iterable<Object> endless = () -> new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public Object next() {
                return 1;
            }
        };
        Map<String, Object> hostile = new LinkedHashMap<>();
        hostile.put("NaN", Double.NaN);
        hostile.put("Infinity", List.of(Double.NEGATIVE_INFINITY));
        hostile.put("a float's NaN", Float.NaN);
        hostile.put("a number beyond every double", BigInteger.TEN.pow(400));
        hostile.put("a number of nobody's", new LongAdder());
        hostile.put("an object", new Object());
        hostile.put("a local time", LocalDateTime.now());
        hostile.put("an instant that RFC 3339 cannot hold", Instant.MAX);
        hostile.put("a circle", circle);
        hostile.put("a list that is its own item", new Own());
        hostile.put("an endless list", endless);
        hostile.put("a name that is a number", numbered);
        hostile.put("a name of null", nameless);
        hostile.put("a thousand levels", levels(1000));
        return hostile.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(
                        entry.getKey(), () -> assertThrows(JsonException.class, () -> Json.write(entry.getValue()))));
    }

    /** A list that contains itself at every index. */
    private static final class Own extends AbstractList<Object> {
        @Override
        public Object get(int index) {
            return this;
        }

        @Override
        public int size() {
            return 2;
        }
    }

    private static Object levels(int count) {
        Object nested = new ArrayList<>();
        for (int i = 1; i < count; i++) nested = List.of(nested);
        return nested;
    }

    @Test
    void readsIntegersAsLongAndOthersAsDouble() {
        assertEquals(1L, Json.parse("1"));
        assertEquals(Long.MIN_VALUE, Json.parse("-9223372036854775808"));
        assertEquals(0x1p63, Json.parse("9223372036854775808"));
        assertEquals(1.0, Json.parse("1.0"));
        assertEquals("[1,1.0]", Json.write(Json.parse("[1,1.0]")));
    }

    @Test
    void refusesTooDeepAndTakesWhatIsJustNot() {
        String deepest = "[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH);
        assertEquals(deepest, Json.write(Json.parse(deepest)));
        assertThrows(JsonException.class, () -> Json.parse("[" + deepest + "]"));
        assertThrows(JsonException.class, () -> Json.parse("1e400"));
        assertThrows(JsonException.class, () -> Json.parse(null));
    }

    @Test
    void readsTheDeepestOnASmallStack() throws InterruptedException {
        String deepest = "[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH);
        String[] written = new String[1];
        Thread small = new Thread(null, () -> written[0] = Json.write(Json.parse(deepest)), "small", 256 * 1024);
        small.start();
        small.join();
        assertEquals(deepest, written[0]);
    }

    @Test
    void whatIsWrittenIsWellFormed() {
        String written = Json.write("a\ud83d\u00e9\ud83d\ude00");
        assertTrue(StandardCharsets.UTF_8.newEncoder().canEncode(written));
        assertEquals("a\ud83d\u00e9\ud83d\ude00", Json.parse(written));
    }

    @Test
    void theZoneOfTheMachineDoesNotMatter() {
        TimeZone before = TimeZone.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Chatham"));
            assertEquals("\"1970-01-01T00:00:00.000Z\"", Json.write(new Date(0)));
        } finally {
            TimeZone.setDefault(before);
        }
    }
}
