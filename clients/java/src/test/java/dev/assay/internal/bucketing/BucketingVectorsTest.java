package dev.assay.internal.bucketing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.assay.support.Vectors;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class BucketingVectorsTest {
    @TestFactory
    Stream<DynamicTest> utf8() {
        return Vectors.tests("utf8", vector -> {
            String text = Vectors.ofUnits(vector.get("utf16"));
            byte[] bytes = bytesOf((String) vector.get("hex"));
            assertEquals(vector.get("hex"), hexOf(encode(text)));
            if (vector.containsKey("text")) assertEquals(vector.get("text"), text);
            assertEquals(Murmur3.hash(bytes, 7), new Murmur3("", 7).hash(text));
        });
    }

    @TestFactory
    Stream<DynamicTest> murmur3() {
        return Vectors.cases("murmur3").stream()
                .map(vector -> DynamicTest.dynamicTest(
                        "murmur3.json: " + vector.get("hex") + " seed " + vector.get("seed"), () -> checkHash(vector)));
    }

    private static void checkHash(Map<String, Object> vector) {
        int seed = (int) Vectors.integer(vector.get("seed"));
        byte[] bytes = bytesOf((String) vector.get("hex"));
        Object expected = vector.get("hash");
        assertEquals(expected, Integer.toUnsignedLong(Murmur3.hash(bytes, seed)));
        if (vector.containsKey("text")) checkText((String) vector.get("text"), seed, expected);
        if (vector.containsKey("utf16")) checkText(Vectors.ofUnits(vector.get("utf16")), seed, expected);
    }

    /** The hash is the same wherever the text is split, except within a surrogate pair. */
    private static void checkText(String text, int seed, Object expected) {
        for (int cut = 0; cut <= text.length(); cut++) {
            boolean isWithinPair =
                    cut > 0 && cut < text.length() && Character.isSurrogatePair(text.charAt(cut - 1), text.charAt(cut));
            if (isWithinPair) continue;
            int hash = new Murmur3(text.substring(0, cut), seed).hash(text.substring(cut));
            assertEquals(expected, Integer.toUnsignedLong(hash), "cut at " + cut);
        }
    }

    @Test
    void murmur3OfSmhashersSelfCheck() {
        ByteBuffer hashes = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        for (int length = 0; length < 256; length++) {
            byte[] key = new byte[length];
            for (int i = 0; i < length; i++) key[i] = (byte) i;
            hashes.putInt(Murmur3.hash(key, 256 - length));
        }
        Object expected = Vectors.read("murmur3").get("smhasher_verification");
        assertEquals(expected, String.format("%08X", Murmur3.hash(hashes.array(), 0)));
    }

    @TestFactory
    Stream<DynamicTest> bucket() {
        return Vectors.tests("bucket", vector -> {
            String user = vector.containsKey("user_id")
                    ? (String) vector.get("user_id")
                    : Vectors.ofUnits(vector.get("user_utf16"));
            String salt = (String) vector.get("salt");
            String id = (String) vector.get("experiment_id");
            int hash = new Murmur3(salt + ":" + id + ":", 0).hash(user);
            assertEquals(vector.get("hash"), Integer.toUnsignedLong(hash));
            long count = Vectors.integer(vector.get("bucket_count"));
            assertEquals(vector.get("bucket"), new Bucketing(salt, id, count).bucketOf(user));
        });
    }

    private static byte[] encode(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); ) {
            int point = Utf8.pointAt(text, i);
            int rest = Utf8.bytesOf(point);
            for (int n = Utf8.lengthOf(point); n > 0; n--, rest >>>= 8) bytes.write(rest);
            i += point > 0xFFFF ? 2 : 1;
        }
        return bytes.toByteArray();
    }

    private static String hexOf(byte[] bytes) {
        StringBuilder hex = new StringBuilder();
        for (byte b : bytes) hex.append(String.format("%02x", b));
        return hex.toString();
    }

    private static byte[] bytesOf(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }
}
