import com.optimizely.ab.Optimizely;
import com.optimizely.ab.event.internal.EventFactory;
import com.optimizely.ab.optimizelydecision.OptimizelyDecideOption;
import dev.assay.AssayClient;
import io.getunleash.DefaultUnleash;
import io.getunleash.UnleashContext;
import io.getunleash.event.ImpressionEvent;
import io.getunleash.event.UnleashSubscriber;
import io.getunleash.util.UnleashConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A client library, set up with the same experiment: running, with half of the users in each of two variants.
 */
final class Contestant {
    static final String EXPERIMENT = "answer-style";
    static final List<String> VARIANTS = List.of("base", "concise");
    /** Never during a bench: events are sent in {@code settle}, or when a batch is full. */
    private static final Duration FLUSH_INTERVAL = Duration.ofHours(1);

    final String name;
    /** Returns the user's variant. */
    final Function<String, String> decide;
    /** Delivers or drops the exposures recorded so far. */
    final Runnable settle;

    final Runnable stop;

    private Contestant(String name, Function<String, String> decide, Runnable settle, Runnable stop) {
        this.name = name;
        this.decide = decide;
        this.settle = settle;
        this.stop = stop;
    }

    /** Makes a client of this service, with the config loaded. */
    static AssayClient startClient(String baseUrl, boolean trackExposures) {
        AssayClient client = AssayClient.builder()
                .apiKey("bench")
                .baseUrl(baseUrl)
                .flushInterval(FLUSH_INTERVAL)
                .trackExposures(trackExposures)
                .build();
        if (!client.awaitReady(Duration.ofSeconds(5))) {
            throw new IllegalStateException("The client did not become ready.");
        }
        return client;
    }

    /** Sends everything recorded; throws when the service did not answer for all of it. */
    static void flushAll(AssayClient client) {
        if (!client.flush(Duration.ofSeconds(60))) {
            throw new IllegalStateException("The client could not deliver its events.");
        }
    }

    /** Our client: it remembers exposures and records those of new users. */
    static Contestant assay(String baseUrl) {
        AssayClient client = startClient(baseUrl, true);
        return new Contestant(
                "`dev.assay:assay-client`",
                user -> client.assign(EXPERIMENT, user),
                () -> flushAll(client),
                client::close);
    }

    /** Optimizely with a datafile: a user context per request; each event is serialized and dropped. */
    static Contestant optimizely(Path datafile, boolean recordsExposures) throws IOException {
        LongAdder bytes = new LongAdder();
        Optimizely client = Optimizely.builder()
                .withDatafile(Files.readString(datafile))
                .withEventProcessor(event ->
                        bytes.add(EventFactory.createLogEvent(event).getBody().length()))
                .withDefaultDecideOptions(
                        recordsExposures ? List.of() : List.of(OptimizelyDecideOption.DISABLE_DECISION_EVENT))
                .build();
        return new Contestant(
                "Optimizely",
                user -> client.createUserContext(user).decide(EXPERIMENT).getVariationKey(),
                () -> {},
                () -> {
                    client.close();
                    if (recordsExposures && bytes.sum() == 0) {
                        throw new IllegalStateException("Optimizely made no event.");
                    }
                });
    }

    /**
     * Unleash with bootstrap data. Its own metrics count decisions, not users. Its impression events count
     * users: here they are made into an event and serialized, like our exposures.
     */
    static Contestant unleash(Path features, boolean recordsExposures) throws IOException {
        String bootstrap =
                Files.readString(features).replace("\"impressionData\":true", "\"impressionData\":" + recordsExposures);
        LongAdder bytes = new LongAdder();
        UnleashConfig config = UnleashConfig.builder()
                .appName("bench")
                // Polled once a day, and never present.
                .unleashAPI("http://127.0.0.1:1/")
                .fetchTogglesInterval(86_400)
                .disableMetrics()
                .toggleBootstrapProvider(() -> Optional.of(bootstrap))
                .backupFile(System.getProperty("java.io.tmpdir") + "/assay-bench-unleash-" + UUID.randomUUID())
                .subscriber(new UnleashSubscriber() {
                    @Override
                    public void impression(ImpressionEvent event) {
                        String user = event.getContext().getUserId().orElse("");
                        bytes.add(exposure(user).length());
                    }
                })
                .build();
        DefaultUnleash client = new DefaultUnleash(config);
        return new Contestant(
                "Unleash",
                user -> client.getVariant(
                                EXPERIMENT,
                                UnleashContext.builder().userId(user).build())
                        .getName(),
                () -> {},
                client::shutdown);
    }

    private static String exposure(String user) {
        return "{\"experiment_id\":\"" + EXPERIMENT + "\",\"user_id\":\"" + user + "\",\"event_id\":\""
                + UUID.randomUUID() + "\",\"type\":\"exposure\",\"timestamp\":\"" + Instant.now() + "\"}";
    }
}
