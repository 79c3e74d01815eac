package dev.assay.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Log lines that vectors expect. */
public final class LogLines {
    private LogLines() {}

    /** Checks that there are exactly these lines, none with the API key. */
    public static void check(Object expected, List<String> lines, String apiKey) {
        List<Map<String, Object>> wanted = Vectors.objects(expected);
        List<String> levels = wanted.stream()
                .map(line -> line.get("level").equals("warn") ? "WARNING" : "ERROR")
                .collect(Collectors.toList());
        assertEquals(
                levels, lines.stream().map(line -> line.split(" ")[0]).collect(Collectors.toList()), lines::toString);
        for (int i = 0; i < wanted.size(); i++) {
            for (Object text : Vectors.list(wanted.get(i).get("holds"))) {
                assertTrue(lines.get(i).contains((String) text), lines.get(i) + " holds " + text);
            }
            assertFalse(lines.get(i).contains(apiKey));
        }
    }
}
