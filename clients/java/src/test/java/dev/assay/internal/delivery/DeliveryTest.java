package dev.assay.internal.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.event.KeptEvent;
import dev.assay.internal.json.Json;
import dev.assay.support.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DeliveryTest {
    private static final Answer ACK = Answer.of(202, 0, null, Map.of("accepted", 1L, "config_version", 3L));

    private final AtomicInteger nulls = new AtomicInteger();
    private final List<String> said = new ArrayList<>();
    private final Delivery delivery = new Delivery(5_000, () -> 0.5, nulls, new DeliveryListener() {
        @Override
        public void count(String reason, long count) {
            if (count > 0) said.add(reason + ": " + count);
        }

        @Override
        public void configVersion(long version) {
            said.add("version " + version);
        }
    });
    private int added;

    private boolean add() {
        String id = "e" + added++;
        return delivery.add(event(id), 0);
    }

    private static KeptEvent event(String id) {
        return new KeptEvent(id, 0, ("{\"event_id\":\"" + id + "\"}").getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, Object> bodyOf(Step step) {
        return Vectors.object(Json.parse(new String(step.body(), StandardCharsets.UTF_8)));
    }

    private static List<String> idsOf(List<KeptEvent> events) {
        return events.stream().map(event -> event.eventId).collect(Collectors.toList());
    }

    @Test
    void assignmentsWithoutAConfigAreToldUntilTheServiceHeard() {
        nulls.set(7);
        add();
        delivery.flush();
        Step refused = delivery.next(0);
        assertEquals(Map.of("null_before_ready", 7L), bodyOf(refused).get("client"));
        delivery.answered(refused, Answer.of(401, 0, null, null), 0);
        assertEquals(7, nulls.get());
        Step accepted = delivery.next(RetryPolicy.PAUSE_MS);
        assertEquals(Map.of("null_before_ready", 7L), bodyOf(accepted).get("client"));
        delivery.answered(accepted, ACK, RetryPolicy.PAUSE_MS);
        assertEquals(0, nulls.get());
        add();
        delivery.flush();
        assertNull(bodyOf(delivery.next(RetryPolicy.PAUSE_MS)).get("client"));
    }

    @Test
    void aFullQueueMovesItsOlderHalfToTheStoreButNotTheBatchUnderWay() {
        delivery.useStore();
        for (int i = 0; i < 10_000; i++) assertTrue(add());
        Step send = delivery.next(0);
        assertTrue(add());
        Step keep = delivery.next(0);
        assertEquals(Step.Kind.KEEP, keep.kind());
        assertEquals(
                List.of("e100", 4_950),
                List.of(keep.events().get(0).eventId, keep.events().size()));
        Supplier<Boolean> flushed = delivery.flush();
        delivery.kept(keep, 50);
        delivery.answered(send, ACK, 0);
        assertEquals(
                List.of("event kept for later, queue is full: 4900", "event given up, queue is full: 50", "version 3"),
                said);
        while ((send = delivery.next(0)).kind() == Step.Kind.SEND) delivery.answered(send, ACK, 0);
        assertEquals(Step.Kind.TAKE_REPLAY, send.kind());
        assertEquals(false, flushed.get(), "the service did not answer for what was moved");
    }

    @Test
    void aFullQueueWithoutAStoreDropsWhatComes() {
        for (int i = 0; i < 10_000; i++) assertTrue(add());
        assertFalse(add());
        assertEquals(List.of("event dropped, queue is full: 1"), said);
        assertEquals(false, flushed(ACK), "one was lost");
        assertEquals(true, flushed(ACK));
    }

    @Test
    void aFlushIsFalseForWhatWasGivenUpBeforeIt() {
        for (int i = 0; i < 100; i++) assertTrue(add());
        delivery.answered(delivery.next(0), Answer.of(400, 0, null, Map.of()), 0);
        assertTrue(add());
        assertEquals(false, flushed(ACK));
        assertEquals(true, flushed(ACK));
    }

    private Boolean flushed(Answer answer) {
        Supplier<Boolean> outcome = delivery.flush();
        while (outcome.get() == null) delivery.answered(delivery.next(0), answer, 0);
        return outcome.get();
    }

    @Test
    void eightMebibytesFillTheQueueToo() {
        KeptEvent large = new KeptEvent("l", 0, new byte[1024 * 1024]);
        for (int i = 0; i < 8; i++) assertTrue(delivery.add(large, 0));
        assertFalse(delivery.add(large, 0));
    }

    @Test
    void aReplayIsReleasedOnlyWhenAllOfItIsSettled() {
        delivery.useStore();
        delivery.noteReachable();
        assertEquals(Step.Kind.TAKE_REPLAY, delivery.next(0).kind());
        List<KeptEvent> kept = new ArrayList<>();
        for (int i = 0; i < 150; i++) kept.add(event("old" + i));
        delivery.replayTaken(kept);
        Step first = delivery.next(0);
        assertNull(delivery.next(0), "one request at a time, and nothing for the store");
        delivery.answered(first, ACK, 0);
        Step second = delivery.next(0);
        assertEquals(Step.Kind.SEND, second.kind());
        delivery.answered(second, ACK, 0);
        assertEquals(Step.Kind.RELEASE, delivery.next(0).kind());
        delivery.released();
        assertEquals(Step.Kind.TAKE_REPLAY, delivery.next(0).kind());
    }

    @Test
    void anOutageDoesNotTakeBackWhatItJustKept() {
        delivery.useStore();
        delivery.noteReachable();
        delivery.next(0);
        delivery.replayTaken(List.of(event("old")));
        long now = 0;
        for (Step step = delivery.next(now); step.kind() == Step.Kind.SEND; step = delivery.next(now)) {
            delivery.answered(step, Answer.none("reset"), now);
            now = Math.max(now, delivery.wakeAt());
            if (delivery.wakeAt() < 0) delivery.kept(delivery.next(now), 0);
            if (delivery.wakeAt() < 0) break;
        }
        assertEquals(Step.Kind.RELEASE, delivery.next(now).kind());
        delivery.released();
        assertNull(delivery.next(now + 1_000_000));
        delivery.noteReachable();
        assertEquals(Step.Kind.TAKE_REPLAY, delivery.next(now).kind());
    }

    @Test
    void afterItsEndItTakesNothingAndHandsOverTheRest() {
        delivery.useStore();
        for (int i = 0; i < 3; i++) add();
        Supplier<Boolean> flushed = delivery.flush();
        Step step = delivery.next(0);
        delivery.stop();
        assertFalse(add());
        delivery.answered(step, ACK, 0);
        assertNull(delivery.next(1_000_000));
        assertEquals(false, flushed.get());
        assertEquals(List.of("e0", "e1", "e2"), idsOf(delivery.takeUnsettled()));
        assertEquals(List.of(), delivery.takeUnsettled());
    }

    /**
     * Whatever the service and the store answer, every lost event is counted, and no event is settled twice.
     */
    @Test
    void everyEventIsAccountedFor() {
        for (int seed = 0; seed < 300; seed++) new DeliveryTest().playAtRandom(new Random(seed));
    }

    private void playAtRandom(Random random) {
        delivery.useStore();
        List<String> settled = new ArrayList<>();
        List<KeptEvent> stored = new ArrayList<>();
        int[] statuses = {202, 202, 202, 500, 413, 401, 400, 0};
        long now = 0;
        for (int i = 0; i < 400; i++) {
            for (int count = random.nextInt(80); count > 0; count--) add();
            if (random.nextInt(9) == 0) delivery.noteReachable();
            Step step = delivery.next(now);
            now += random.nextInt(3_000);
            if (step == null) continue;
            if (step.kind() == Step.Kind.SEND) {
                int status = statuses[random.nextInt(statuses.length)];
                boolean isLast = status == 202
                        || status == 400
                        || status == 413 && step.events().size() == 1;
                if (isLast) settled.addAll(idsOf(step.events()));
                delivery.answered(
                        step,
                        status == 0 ? Answer.none("reset") : Answer.of(status, 0, null, Map.of("accepted", 1L)),
                        now);
            } else if (step.kind() == Step.Kind.KEEP) {
                stored.addAll(step.events());
                delivery.kept(step, 0);
            } else if (step.kind() == Step.Kind.TAKE_REPLAY) {
                delivery.replayTaken(List.copyOf(stored));
                stored.clear();
            } else {
                delivery.released();
            }
        }
        settled.addAll(idsOf(stored));
        delivery.stop();
        settled.addAll(idsOf(delivery.takeUnsettled()));
        long refused =
                said.stream().filter(line -> line.startsWith("event dropped")).count();
        assertEquals(settled.size(), new TreeSet<>(settled).size(), "none twice");
        assertEquals(added - refused, settled.size(), "none forgotten");
    }
}
