package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.support.Clients;
import dev.assay.support.RecordingLog;
import dev.assay.support.ScenarioServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class AssayClientBuilderTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Map<String, Object> EMPTY_CONFIG = Map.of("config_version", 1, "experiments", List.of());

    private static AssayClientBuilder in(Map<String, String> environment) {
        return new AssayClientBuilder(environment::get).logger(new RecordingLog());
    }

    private static Map<String, Object> firstRequest(AssayClientBuilder builder) throws Exception {
        ScenarioServer.get().install(Map.of("/v1/config", List.of(Map.of("status", 200, "body", EMPTY_CONFIG))));
        try (AssayClient client = builder.build()) {
            assertTrue(client.awaitReady(LONG));
        }
        return ScenarioServer.get().requests().get(0);
    }

    private static Object keyOf(Map<String, Object> request) {
        return ((Map<?, ?>) request.get("headers")).get("x-api-key");
    }

    @Test
    void takesKeyAndAddressFromTheEnvironment() throws Exception {
        String url = ScenarioServer.get().url();
        Map<String, Object> request = firstRequest(in(Map.of("ASSAY_API_KEY", "e", "ASSAY_BASE_URL", url)));
        assertEquals("/v1/config", request.get("path"));
        assertEquals("e", keyOf(request));
    }

    @Test
    void whatIsGivenWinsOverTheEnvironmentAndSlashesAtTheEndDoNotMatter() throws Exception {
        String url = ScenarioServer.get().url() + "//";
        AssayClientBuilder builder = in(Map.of("ASSAY_API_KEY", "e", "ASSAY_BASE_URL", "http://127.0.0.1:9"));
        Map<String, Object> request = firstRequest(builder.apiKey("k").baseUrl(url));
        assertEquals("/v1/config", request.get("path"));
        assertEquals("k", keyOf(request));
    }

    @Test
    void whiteSpaceAroundKeyAndAddressDoesNotMatter() throws Exception {
        String url = " " + ScenarioServer.get().url() + "/\n";
        assertEquals("k", keyOf(firstRequest(in(Map.of()).apiKey(" k\n").baseUrl(url))));
        assertEquals("e", keyOf(firstRequest(in(Map.of("ASSAY_API_KEY", "e\r\n", "ASSAY_BASE_URL", url)))));
    }

    @TestFactory
    Stream<DynamicTest> throwsWithoutAnApiKey() {
        return Stream.of(
                        in(Map.of()),
                        in(Map.of("ASSAY_API_KEY", "")),
                        in(Map.of()).apiKey(""))
                .map(builder -> DynamicTest.dynamicTest("no key", () -> {
                    String message = assertThrows(IllegalStateException.class, builder::build)
                            .getMessage();
                    assertTrue(message.contains("ASSAY_API_KEY"), message);
                }));
    }

    @Test
    void everyOptionMayBeNullOrNonsense() {
        RecordingLog log = new RecordingLog();
        AssayClientBuilder builder = Clients.offline(log)
                .experiments((String[]) null)
                .experiments(null, "a")
                .flushInterval(null)
                .pollInterval(Duration.ofSeconds(-1))
                .flushInterval(Duration.ZERO)
                .bootstrap(null)
                .offlineStore(null)
                .mask(null)
                .clock(null)
                .eventIds(null);
        try (AssayClient client = builder.build()) {
            assertNull(client.assign("a", "u"));
        }
        try (AssayClient client =
                Clients.offline(null).baseUrl(null).baseUrl("\u0000 no address").build()) {
            assertNull(client.configSnapshot());
        }
        try (AssayClient client = Clients.offline(log)
                .pollInterval(Duration.ofSeconds(Long.MAX_VALUE))
                .build()) {
            assertFalse(client.awaitReady(Duration.ZERO));
        }
    }

    @TestFactory
    Stream<DynamicTest> aBootstrapThatIsNoneIsAnErrorInTheLog() {
        return Stream.of("", "{", "{}", "[]", "null,", "7")
                .map(text -> DynamicTest.dynamicTest("bootstrap " + text, () -> {
                    RecordingLog log = new RecordingLog();
                    try (AssayClient client =
                            Clients.offline(log).bootstrap(text).build()) {
                        assertNull(client.assign("a", "u"));
                    }
                    List<String> errors = log.lines().stream()
                            .filter(line -> line.contains("bootstrap"))
                            .collect(Collectors.toList());
                    assertEquals(List.of("ERROR bootstrap is invalid"), errors);
                }));
    }
}
