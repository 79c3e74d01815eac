package dev.assay.support;

import dev.assay.internal.config.Assignment;
import dev.assay.internal.config.ConfigExperiment;
import dev.assay.internal.delivery.Answer;
import dev.assay.internal.delivery.ConfigPolling;
import dev.assay.internal.delivery.Delivery;
import dev.assay.internal.delivery.DeliveryListener;
import dev.assay.internal.delivery.HttpTransport;
import dev.assay.internal.delivery.Step;
import dev.assay.internal.event.EventRow;
import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.event.UnsendableEventException;
import dev.assay.internal.log.ClientLog;
import dev.assay.internal.store.FileStore;
import dev.assay.internal.store.KeptConfig;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The state machines of one client, driven in virtual time against the scenario server. */
public final class VirtualClient {
    public static final String EVENTS = "/v1/events";
    public static final String CONFIG = "/v1/config";
    public static final String WAIT = CONFIG + "?wait=30";
    private static final long REQUEST_LIMIT_MS = 10_000;
    private static final long WAIT_MS = 30_000;

    private static final class Waiting {
        Supplier<Boolean> outcome;
        long deadline;
        Consumer<Boolean> then;
    }

    public final RecordingLog lines = new RecordingLog();
    public final Delivery delivery;
    public final ConfigPolling polling;
    private final VirtualRun run;
    private final ClientLog log;
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
    private final HttpTransport transport;
    private final Map<String, List<Long>> sentAt = new HashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private FileStore store;
    private KeptConfig kept;

    /** Makes a client whose random source always returns {@code random}. */
    public VirtualClient(VirtualRun run, String apiKey, double random, long pollIntervalMs) throws Exception {
        this(run, apiKey, random, pollIntervalMs, false);
    }

    /** Makes one that may wait for changes of the config. */
    public VirtualClient(VirtualRun run, String apiKey, double random, long pollIntervalMs, boolean longPoll)
            throws Exception {
        this.run = run;
        this.log = new ClientLog(lines, () -> run.now() * 1_000_000);
        this.transport = new HttpTransport(apiKey, ScenarioServer.get().url(), executor, log);
        this.polling = new ConfigPolling(pollIntervalMs, longPoll, () -> random, null, log);
        DeliveryListener listener = new DeliveryListener() {
            @Override
            public void count(String reason, long count) {
                log.count(reason, count);
            }

            @Override
            public void configVersion(long version) {
                polling.noteVersion(version, run.now());
            }
        };
        this.delivery = new Delivery(5_000, () -> random, new AtomicInteger(), listener);
        run.add(this);
    }

    /** Gives it a store in a folder. */
    public void useStore(Path folder, String apiKey, Clock clock) {
        store = new FileStore(folder, apiKey, clock, log);
        if (store.open()) delivery.useStore();
    }

    /** Gives it the kept config of a folder. */
    public void useKeptConfig(Path folder, String apiKey, Clock clock) throws Exception {
        kept = new KeptConfig(folder, apiKey, ScenarioServer.get().url(), clock, log);
        polling.useKept(kept.read(), kept.ageSeconds());
    }

    /** Tracks an event as the client does. */
    public void track(String type, Map<String, ?> payload) {
        try {
            delivery.add(EventRow.of(type, payload, () -> 1_783_339_200_000L + run.now(), () -> null), run.now());
        } catch (UnsendableEventException e) {
            log.count("event dropped, " + e.getMessage());
        }
    }

    /** Starts a flush; {@code then} takes its outcome. */
    public void flush(long timeoutMs, Consumer<Boolean> then) {
        await(timeoutMs, delivery.flush(), then);
    }

    /** Starts a wait. */
    public void await(long timeoutMs, Supplier<Boolean> outcome, Consumer<Boolean> then) {
        Waiting wait = new Waiting();
        wait.outcome = outcome;
        wait.deadline = run.now() + timeoutMs;
        wait.then = then;
        waiting.add(wait);
    }

    /** Returns the user's variant, null for none. */
    public String assign(String experiment, String user) {
        ConfigExperiment found =
                polling.snapshot() == null ? null : polling.snapshot().find(experiment);
        Assignment assignment = found == null ? null : found.assign(user);
        return assignment == null ? null : assignment.variant.key;
    }

    /** Returns when each request for the path left. */
    public List<Long> sentAt(String path) {
        return sentAt.getOrDefault(path, List.of());
    }

    /** Ends the client as closing does, without a flush. */
    public void close() {
        delivery.stop();
        transport.close();
        List<KeptEvent> left = delivery.takeUnsettled();
        if (store != null) store.keepLast(left);
        log.close();
        executor.shutdownNow();
    }

    void tick() {
        log.tick();
    }

    long wakeAt() {
        long next = Math.min(delivery.wakeAt(), polling.wakeAt());
        for (Waiting wait : waiting) next = Math.min(next, wait.deadline);
        long tick = log.nextTickNanos();
        return tick == Long.MAX_VALUE ? next : Math.min(next, run.now() + (tick + 999_999) / 1_000_000);
    }

    /** Does one thing that is due; false when nothing is due. */
    boolean doOne() {
        boolean isAsking = polling.start(run.now());
        if (isAsking) askForConfig();
        Step step = delivery.next(run.now());
        if (step != null) perform(step);
        boolean isDecided = waiting.removeIf(this::isOver);
        return isAsking || step != null || isDecided;
    }

    private void askForConfig() {
        int waitSeconds = polling.waitSeconds();
        String path = waitSeconds == 0 ? CONFIG : CONFIG + "?wait=" + waitSeconds;
        request(path, () -> transport.getConfig(polling.etag(), waitSeconds), this::takeConfig);
    }

    private void takeConfig(Answer answer) {
        if (!polling.answered(answer, run.now())) return;
        delivery.noteReachable();
        if (kept != null) kept.keep(polling.snapshot().body);
    }

    private void perform(Step step) {
        switch (step.kind()) {
            case SEND:
                request(
                        EVENTS,
                        () -> transport.postEvents(step.body()),
                        answer -> delivery.answered(step, answer, run.now()));
                return;
            case KEEP:
                delivery.kept(step, store.keep(step.events()));
                return;
            case TAKE_REPLAY:
                delivery.replayTaken(store.takeReplay());
                return;
            default:
                store.release();
                delivery.released();
        }
    }

    private boolean isOver(Waiting wait) {
        Boolean outcome = wait.outcome.get();
        if (outcome == null && run.now() >= wait.deadline) outcome = false;
        if (outcome != null) wait.then.accept(outcome);
        return outcome != null;
    }

    /** Makes a request. A hanging one ends at its time limit, and one that takes time after that, in virtual time. */
    private void request(String path, Supplier<CompletableFuture<Answer>> send, Consumer<Answer> then) {
        List<Long> sent = sentAt.computeIfAbsent(path, any -> new ArrayList<>());
        Object reply = run.reply(path, sent.size());
        sent.add(run.now());
        try {
            CompletableFuture<Answer> answer = send.get();
            if (!hangs(reply)) {
                Answer answered = answer.get(30, TimeUnit.SECONDS);
                long takesMs = takesMs(reply);
                if (takesMs == 0) then.accept(answered);
                else run.at(run.now() + takesMs, () -> then.accept(answered));
                return;
            }
            awaitArrival(path, sent.size());
            long limitMs = path.equals(WAIT) ? REQUEST_LIMIT_MS + WAIT_MS : REQUEST_LIMIT_MS;
            run.at(run.now() + limitMs, () -> then.accept(Answer.none("no answer")));
        } catch (Exception e) {
            throw new AssertionError(path, e);
        }
    }

    private static long takesMs(Object reply) {
        Object takes = reply instanceof Map ? ((Map<?, ?>) reply).get("takes_ms") : null;
        return takes == null ? 0 : ((Number) takes).longValue();
    }

    private static boolean hangs(Object reply) {
        return "hang".equals(reply) || reply instanceof Map && "hang".equals(((Map<?, ?>) reply).get("end"));
    }

    private static void awaitArrival(String path, int count) throws Exception {
        while (ScenarioServer.get().requests().stream()
                        .filter(one -> path.equals(one.get("path")))
                        .count()
                < count) {
            Thread.onSpinWait();
        }
    }
}
