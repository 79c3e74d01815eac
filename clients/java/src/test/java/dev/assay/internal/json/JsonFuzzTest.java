package dev.assay.internal.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class JsonFuzzTest {
    private static final int ROUNDS = 100_000;
    private static final String PIECES = "{}[]:,\"\\-+.eE0123456789utrnfalsb \n\u00e9\ud83d\ude00\u0000";

    @Test
    void whatIsWrittenIsReadAgain() {
        SplittableRandom random = new SplittableRandom(1);
        CharsetEncoder utf8 = StandardCharsets.UTF_8.newEncoder();
        for (int i = 0; i < ROUNDS; i++) {
            Object value = value(random, 4);
            String written = Json.write(value);
            assertTrue(utf8.canEncode(written), () -> "not well-formed: " + written);
            assertEquals(value, Json.parse(written));
        }
    }

    @Test
    void anyTextIsReadOrRefused() {
        SplittableRandom random = new SplittableRandom(2);
        int read = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String text = mutated(random, Json.write(value(random, 3)));
            try {
                Object value = Json.parse(text);
                assertEquals(value, Json.parse(Json.write(value)));
                read++;
            } catch (JsonException refused) {
                // It must be one of the two.
            }
        }
        assertTrue(read > ROUNDS / 100 && read < ROUNDS * 99 / 100, "read: " + read);
    }

    private static String mutated(SplittableRandom random, String text) {
        StringBuilder units = new StringBuilder(text);
        for (int changes = random.nextInt(4); changes >= 0; changes--) {
            int at = random.nextInt(units.length() + 1);
            char piece = PIECES.charAt(random.nextInt(PIECES.length()));
            int kind = random.nextInt(4);
            if (kind == 0 || at == units.length()) units.insert(at, piece);
            else if (kind == 1) units.deleteCharAt(at);
            else if (kind == 2) units.setCharAt(at, piece);
            else units.insert(at, units.substring(at, Math.min(units.length(), at + random.nextInt(9))));
        }
        return units.toString();
    }

    private static Object value(SplittableRandom random, int depth) {
        switch (random.nextInt(depth == 0 ? 6 : 8)) {
            case 0:
                return null;
            case 1:
                return random.nextBoolean();
            case 2:
                return random.nextLong() >> random.nextInt(64);
            case 3:
                double any = Double.longBitsToDouble(random.nextLong());
                return Double.isFinite(any) ? any : 0.5;
            case 4:
                return random.nextInt(1000) / 8.0;
            case 5:
                return text(random);
            case 6:
                List<Object> items = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) items.add(value(random, depth - 1));
                return items;
            default:
                Map<String, Object> fields = new LinkedHashMap<>();
                for (int i = random.nextInt(4); i > 0; i--) fields.put(text(random), value(random, depth - 1));
                return fields;
        }
    }

    /** Every kind of unit, unpaired surrogates too. */
    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        int[] bounds = {0x20, 0x80, 0x800, 0x10000};
        for (int i = random.nextInt(12); i > 0; i--) {
            if (random.nextInt(6) == 0) text.append((char) (0xD800 + random.nextInt(0x800)));
            else text.append((char) random.nextInt(bounds[random.nextInt(bounds.length)]));
        }
        return text.toString();
    }
}
