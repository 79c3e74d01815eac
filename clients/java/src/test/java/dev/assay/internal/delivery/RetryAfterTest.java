package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryAfterTest {
    private static final String DATE = "Mon, 06 Jul 2026 10:00:00 GMT";

    @ParameterizedTest(name = "{0} is {1} ms")
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "120 | 120000",
                "0 | 0",
                "000000000000120 | 120000",
                "99999999999999999999 | 9999999999000",
                "Mon, 06 Jul 2026 10:00:30 GMT | 30000",
                "Mon, 06 Jul 2026 09:00:00 GMT | 0",
                "-5 | 0",
                "1.5 | 0",
                "٣ | 0",
                "soon | 0",
                "none | 0"
            })
    void reads(String header, long ms) {
        assertEquals(ms, RetryAfter.parse(header, DATE));
    }

    @Test
    void ignoresADateWhenTheAnswerHasNoneOfItsOwn() {
        assertEquals(0, RetryAfter.parse(DATE, null));
        assertEquals(0, RetryAfter.parse(DATE, "today"));
    }

    @Test
    void aBackoffIsNeitherNegativeNorOverItsLimits() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            int tries = 1 + random.nextInt(Integer.MAX_VALUE);
            long wait = RetryPolicy.backoffMs(
                    Math.abs(random.nextLong() >> random.nextInt(63)), tries, random.nextDouble());
            assertTrue(wait >= 0 && wait <= 300_000, "tries " + tries + ": " + wait);
        }
    }
}
