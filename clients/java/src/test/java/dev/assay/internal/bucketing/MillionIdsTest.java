package dev.assay.internal.bucketing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.assay.support.Vectors;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MillionIdsTest {
    private static final int PER_DIGEST = 100_000;

    private final Map<String, Object> vectors = Vectors.read("million-ids");
    private int x = 0x9E3779B9;

    @Test
    void millionIds() throws NoSuchAlgorithmException {
        Bucketing bucketing = new Bucketing(
                (String) vectors.get("salt"),
                (String) vectors.get("experiment_id"),
                Vectors.integer(vectors.get("bucket_count")));
        List<Map<String, Object>> first = Vectors.objects(vectors.get("first"));
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        List<String> digests = new ArrayList<>();
        for (int i = 0; i < Vectors.integer(vectors.get("count")); i++) {
            String id = id(i);
            long bucket = bucketing.bucketOf(id);
            if (i < first.size()) {
                assertEquals(Vectors.ofUnits(first.get(i).get("utf16")), id, "id " + i);
                assertEquals(first.get(i).get("bucket"), bucket, "id " + i);
            }
            sha.update((bucket + "\n").getBytes(StandardCharsets.US_ASCII));
            if ((i + 1) % PER_DIGEST == 0) digests.add(hexOf(sha.digest()));
        }
        assertEquals(vectors.get("digests"), digests);
    }

    private int below(int bound) {
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        return Integer.remainderUnsigned(x, bound);
    }

    private String id(int i) {
        switch (i % 8) {
            case 0:
                return "user-" + i;
            case 1:
                return units(32, 0, 16).chars().mapToObj(Integer::toHexString).reduce("", String::concat);
            case 2:
                return units(1 + below(40), 32, 95);
            case 3:
                return units(1 + below(20), 0xA0, 0xD760);
            case 4:
                return pairs(1 + below(10));
            case 5:
                return units(1 + below(16), 0, 0x10000);
            case 6:
                StringBuilder letters = new StringBuilder(units(1 + below(12), 97, 26));
                letters.setCharAt(below(letters.length()), (char) (0xD800 + below(0x800)));
                return letters.toString();
            default:
                int length = i % 256 == 7 ? 200 + below(1801) : 40 + below(20);
                return units(length - 1, 97, 26) + "\u00e9";
        }
    }

    private String units(int length, int from, int count) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) text.append((char) (from + below(count)));
        return text.toString();
    }

    private String pairs(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            int p = below(0x100000);
            text.append((char) (0xD800 + (p >> 10))).append((char) (0xDC00 + (p & 0x3FF)));
        }
        return text.toString();
    }

    private static String hexOf(byte[] bytes) {
        StringBuilder hex = new StringBuilder();
        for (byte b : bytes) hex.append(String.format("%02x", b));
        return hex.toString();
    }
}
