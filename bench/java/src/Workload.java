import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** A call that is made for each user of a round. Times are kept per round, in nanoseconds per call. */
final class Workload {
    /** Only shows that it runs. */
    static final boolean IS_TINY = "1".equals(System.getenv("BENCH_TINY"));

    private static final int ROUNDS = IS_TINY ? 1 : 21;
    /** Long enough to compile code that is called often. */
    private static final int WARM_UP_ROUNDS = IS_TINY ? 0 : 20;
    /** A client remembers more exposures, and queues more events, than this. */
    static final int USERS = 5_000;
    /** Calls that are timed together: a single call is shorter than the clock's resolution. */
    private static final int BATCH = 50;

    private final String name;
    private final Function<String, ?> call;
    private final IntFunction<String> idOf;
    private final boolean isNew;
    private final Runnable settle;
    private final List<Double> p50 = new ArrayList<>();
    private final List<Double> p90 = new ArrayList<>();
    private int first;

    /** With {@code isNew}, each round has users that no earlier round has seen. */
    Workload(String name, Function<String, ?> call, IntFunction<String> idOf, boolean isNew, Runnable settle) {
        this.name = name;
        this.call = call;
        this.idOf = idOf;
        this.isNew = isNew;
        this.settle = settle;
    }

    /** Times each workload in turn, round after round; returns the rows as JSON. */
    static String measure(List<Workload> workloads) {
        for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
            for (Workload workload : workloads) {
                workload.round(round >= 0);
            }
        }
        return workloads.stream().map(Workload::row).collect(Collectors.joining(",", "[", "]"));
    }

    private void round(boolean isKept) {
        // New strings, because ids reach a server without a cached hash.
        String[] users = new String[USERS];
        Arrays.setAll(users, index -> new String(idOf.apply(first + index).toCharArray()));
        first += isNew ? USERS : 0;
        double[] times = new double[USERS / BATCH];
        for (int batch = 0; batch < times.length; batch++) {
            int answered = 0;
            long before = System.nanoTime();
            for (int i = batch * BATCH; i < (batch + 1) * BATCH; i++) {
                answered += call.apply(users[i]) == null ? 0 : 1;
            }
            times[batch] = (System.nanoTime() - before) / (double) BATCH;
            if (answered != BATCH) {
                throw new IllegalStateException(name + ": " + answered + " of " + BATCH + " calls as expected.");
            }
        }
        settle.run();
        Arrays.sort(times);
        if (isKept) {
            p50.add(times[times.length / 2]);
            p90.add(times[times.length * 9 / 10]);
        }
    }

    private String row() {
        return "{\"name\":\"" + name + "\",\"p50\":" + p50 + ",\"p90\":" + p90 + "}";
    }
}
