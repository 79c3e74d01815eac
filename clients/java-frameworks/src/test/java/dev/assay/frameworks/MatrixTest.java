package dev.assay.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.AssayClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Java's part of the matrix in {@code docs/clients.md}: each framework and case, compared with what a provider billed.
 * {@code ASSAY_WRITE_MATRIX=1} writes the document instead.
 */
class MatrixTest {
    private static final Map<String, String> CASES = cases();
    private static final List<BiFunction<String, AssayClient, Framework>> FRAMEWORKS = List.of(
            OpenAiLibrary::new, AnthropicLibrary::new, LangChain::ofOpenAi, LangChain::ofAnthropic, SpringAi::new);
    private static final Path DOCUMENT = Path.of("../../docs/clients.md");
    private static final String BEGIN = "<!-- matrix: java -->\n";
    private static final String END = "<!-- /matrix -->";
    private static final int USERS = 8;

    private static Map<String, String> cases() {
        Map<String, String> cases = new LinkedHashMap<>();
        cases.put("whole", "whole");
        cases.put("stream", "stream");
        cases.put("left", "early break");
        cases.put("aborted", "abort");
        cases.put("error", "error");
        cases.put("tools", "tools");
        cases.put("paralleltools", "parallel tools");
        cases.put("structured", "structured output");
        cases.put("several", "n > 1");
        cases.put("retries", "retries");
        cases.put("reasoning", "reasoning");
        cases.put("cache", "cache read and write");
        cases.put("nested", "nested");
        cases.put("users", "concurrent users");
        cases.put("embeddings", "embeddings");
        return cases;
    }

    @Test
    void isWhatTheDocumentSays() throws Exception {
        StringBuilder table = new StringBuilder("\n| |");
        CASES.values().forEach(title -> table.append(' ').append(title).append(" |"));
        table.append("\n|---|").append("---|".repeat(CASES.size())).append('\n');
        for (BiFunction<String, AssayClient, Framework> framework : FRAMEWORKS) {
            List<String> row = new ArrayList<>();
            for (String name : CASES.keySet()) row.add(run(framework, name, row));
            table.append("| ").append(String.join(" | ", row)).append(" |\n");
        }
        String document = Files.readString(DOCUMENT);
        int begin = document.indexOf(BEGIN) + BEGIN.length();
        int end = document.indexOf(END, begin);
        assertTrue(end > begin, "the document has the marks of the matrix");
        String rows = document.substring(begin, end);
        // The notes below the table are written by hand.
        String notes = rows.substring(rows.indexOf("\n\nJava: ") + 1);
        String written = document.substring(0, begin) + table + notes + document.substring(end);
        if ("1".equals(System.getenv("ASSAY_WRITE_MATRIX"))) Files.writeString(DOCUMENT, written);
        else assertEquals(document, written);
    }

    /** Returns the cell; the first one of a row begins with the framework. */
    private static String run(BiFunction<String, AssayClient, Framework> make, String name, List<String> row)
            throws Exception {
        AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));
        try (FakeProvider provider = new FakeProvider();
                Framework framework = make.apply(provider.url(), assay)) {
            boolean isOffered = name.equals("users") ? users(framework, assay) : one(framework, assay, name);
            String cell = isOffered ? compare(provider, assay, name) : "–";
            System.err.println(framework.title() + ", " + name + ": " + cell);
            return row.isEmpty() ? framework.title() + " | " + cell : cell;
        }
    }

    private static boolean one(Framework framework, AssayClient assay, String name) throws Exception {
        String prompt = "case=" + name + " size=1";
        try {
            if (!name.equals("nested")) return assay.withUser("ann", () -> framework.run(name, prompt));
            return assay.interceptModelCall(
                    "greeting",
                    "bob",
                    () -> assay.withUser("ann", () -> framework.run(name, prompt)),
                    result -> dev.assay.ModelCallFacts.builder()
                            .inputTokens(41)
                            .outputTokens(21)
                            .build());
        } catch (Exception thrown) {
            if (!name.equals("error")) throw thrown;
            return true;
        }
    }

    /** Each user's call has its own size, which identifies it. */
    private static boolean users(Framework framework, AssayClient assay) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(USERS);
        List<Future<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            String user = "u" + i;
            String prompt = "case=users size=" + i;
            calls.add(threads.submit(() -> assay.withUser(user, () -> framework.run("whole", prompt))));
        }
        for (Future<Boolean> call : calls) call.get();
        threads.shutdown();
        return true;
    }

    /** Returns {@code =}, or the differences from the ledger. */
    private static String compare(FakeProvider provider, AssayClient assay, String name) throws InterruptedException {
        boolean isCut = name.equals("left") || name.equals("aborted");
        int expected = isCut || name.equals("error") ? 1 : provider.ledger.size();
        // A stream that the caller leaves ends on another thread.
        for (int i = 0; i < 100 && calls(assay).size() < expected; i++) Thread.sleep(20);
        List<Map<String, Object>> calls = calls(assay);
        if (calls.size() < expected) return "missing";
        if (calls.size() > expected) return "twice";
        if (name.equals("error")) return Boolean.TRUE.equals(calls.get(0).get("error")) ? "=" : "no error";
        if (isCut) return String.valueOf(calls.get(0).get("metadata")).contains("aborted") ? "=" : "not marked";
        for (Map<String, Object> call : calls) {
            if (name.equals("users") && number(call, "input_tokens") != 40 + userOf(call)) return "wrong user";
        }
        if (calls.get(0).get("error") == Boolean.TRUE)
            return "error " + calls.get(0).get("error_type");
        List<String> ledger = sorted(provider.ledger);
        List<String> recorded = sorted(calls.stream().map(MatrixTest::line).collect(Collectors.toList()));
        if (!ledger.equals(recorded)) return differing(ledger.get(0), recorded.get(0));
        // A framework may write arguments with different spaces.
        String texts = calls.toString().replace(" ", "").replace("\\", "").replace("\n", "");
        boolean lacksTool = name.equals("tools") && !texts.contains("[tool_calllook({\"a\":0})]");
        boolean lacksTools = name.equals("paralleltools")
                && !(texts.contains("[tool_calllook({\"a\":0})]") && texts.contains("[tool_calllook({\"a\":1})]"));
        return lacksTool || lacksTools ? "text" : "=";
    }

    private static long userOf(Map<String, Object> call) {
        return Long.parseLong(call.get("user_id").toString().substring(1));
    }

    private static long number(Map<String, Object> call, String field) {
        return call.get(field) instanceof Number count ? count.longValue() : 0;
    }

    private static List<Map<String, Object>> calls(AssayClient assay) {
        return assay.trackedEvents().stream()
                .filter(event -> event.get("type").equals("model_call"))
                .collect(Collectors.toList());
    }

    private static String line(Map<String, Object> call) {
        return FakeProvider.line(
                call.get("input_tokens"),
                call.get("cached_input_tokens"),
                call.get("cache_write_5m_tokens"),
                call.get("output_tokens"),
                call.get("reasoning_tokens"));
    }

    private static String differing(String ledger, String recorded) {
        System.err.println("ledger " + ledger + "; recorded " + recorded);
        String[] billed = ledger.split(", ");
        String[] known = recorded.split(", ");
        TreeMap<Integer, String> names = new TreeMap<>();
        for (int i = 0; i < billed.length; i++) {
            if (!billed[i].equals(known[i])) names.put(i, "no " + billed[i].replaceAll(" \\d+$", ""));
        }
        return String.join(", ", names.values());
    }

    private static List<String> sorted(List<String> lines) {
        List<String> sorted = new ArrayList<>(lines);
        Collections.sort(sorted);
        return sorted;
    }
}
