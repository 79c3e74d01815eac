package dev.assay.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UuidV7Test {
    @Test
    void holdsItsInstantVersionAndVariant() {
        // The example of RFC 9562, appendix A.6.
        String id = UuidV7.of(0x017F22E279B0L);
        assertTrue(id.startsWith("017f22e2-79b0-7"), id);
        UUID parsed = UUID.fromString(id);
        assertEquals(7, parsed.version());
        assertEquals(2, parsed.variant());
    }

    @Test
    void clampsInstantsOutsideItsBits() {
        assertTrue(UuidV7.of(-1).startsWith("00000000-0000-7"));
        assertTrue(UuidV7.of(Long.MAX_VALUE).startsWith("ffffffff-ffff-7"));
    }

    @Test
    void isAnotherEachTimeAndVariesInEachRandomBit() {
        Set<String> ids = new HashSet<>();
        long ones = 0;
        long zeros = 0;
        long highOnes = 0;
        for (int i = 0; i < 10_000; i++) {
            UUID id = UUID.fromString(UuidV7.of(5));
            ids.add(id.toString());
            ones |= id.getLeastSignificantBits();
            zeros |= ~id.getLeastSignificantBits();
            highOnes |= id.getMostSignificantBits();
        }
        assertEquals(10_000, ids.size());
        assertEquals(0x3FFFFFFFFFFFFFFFL, ones & zeros);
        assertEquals(0x7FFF, highOnes & 0xFFFF);
    }
}
