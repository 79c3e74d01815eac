package dev.assay.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class ExposureMemoryTest {
    private static final long WINDOW_MS = 600_000;

    private final ExposureMemory memory = new ExposureMemory(WINDOW_MS, 20);

    @Test
    void anExposureIsClaimedOncePerUserAndArm() {
        assertTrue(memory.claim("arm", "u", 0));
        assertFalse(memory.claim("arm", "u", 1));
        assertTrue(memory.claim("arm", "v", 1));
        assertTrue(memory.claim("other", "u", 1));
    }

    @Test
    void isClaimedAgainAfterTheWindowBackwardsToo() {
        memory.claim("arm", "u", 1_000_000);
        assertFalse(memory.claim("arm", "u", 1_000_000 + WINDOW_MS - 1));
        assertTrue(memory.claim("arm", "u", 1_000_000 + WINDOW_MS));
        assertFalse(memory.claim("arm", "u", 1_000_001));
        assertTrue(memory.claim("arm", "u", 1_000_000));
    }

    @Test
    void theWindowBeginsWithTheExposureNotWithTheLastLook() {
        memory.claim("arm", "u", 0);
        memory.claim("arm", "u", WINDOW_MS - 1);
        for (int i = 0; i < 12; i++) memory.claim("arm", "other-" + i, WINDOW_MS - 1);
        memory.claim("arm", "u", WINDOW_MS - 1);
        assertTrue(memory.claim("arm", "u", WINDOW_MS));
    }

    @Test
    void anExposureThatIsReleasedIsClaimedAgain() {
        memory.claim("arm", "u", 0);
        memory.release("arm", "u");
        memory.release("arm", "nobody");
        assertTrue(memory.claim("arm", "u", 1));
    }

    @Test
    void remembersTheLastHalfAndNeverMoreThanAll() {
        for (int i = 0; i < 1_000; i++) assertTrue(memory.claim("arm" + i % 3, "u" + i, 0));
        for (int i = 990; i < 1_000; i++) assertFalse(memory.claim("arm" + i % 3, "u" + i, 0));
        int known = 0;
        ExposureMemory fresh = new ExposureMemory(WINDOW_MS, 20);
        for (int i = 0; i < 1_000; i++) fresh.claim("arm", "u" + i, 0);
        for (int i = 999; i >= 0 && !fresh.claim("arm", "u" + i, 0); i--) known++;
        assertTrue(known >= 10 && known <= 20, "known: " + known);
    }

    @Test
    void whoIsSeenOftenStays() {
        memory.claim("arm", "regular", 0);
        for (int i = 0; i < 1_000; i++) {
            memory.claim("arm", "u" + i, 0);
            if (i % 5 == 0) assertFalse(memory.claim("arm", "regular", 0), "after " + i);
        }
    }

    @Test
    void oneOfManyThreadsClaims() throws Exception {
        int users = 2_000;
        int threads = 8;
        ExposureMemory shared = new ExposureMemory(WINDOW_MS, 20_000);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Integer>> claims = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            claims.add(pool.submit(() -> {
                int claimed = 0;
                for (int i = 0; i < users; i++) if (shared.claim("arm", "u" + i, 0)) claimed++;
                return claimed;
            }));
        }
        int sum = 0;
        for (Future<Integer> claimed : claims) sum += claimed.get();
        pool.shutdown();
        assertEquals(users, sum);
    }
}
