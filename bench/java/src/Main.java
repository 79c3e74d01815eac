import dev.assay.AssayClient;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Measures the Java client next to those of other vendors: {@code Main <features of Unleash> <datafile of
 * Optimizely> <base URL>}; prints one JSON object.
 */
public final class Main {
    /** For 5,000 users: seven standard deviations of a fair split. */
    private static final double LARGEST_SKEW = 0.05;

    private static final int EVENTS = 8_000;
    /** The kernel counts a process's time in hundredths of a second. */
    private static final int REPEATS = 20;
    private static final int MEMORY_USERS = Workload.IS_TINY ? 5_000 : 1_000_000;
    private static final Runnable NOTHING = () -> {};
    private static final IntFunction<String> ID = serial -> "user-" + serial;
    private static final Map<String, Object> DEFAULTS = Map.of("temperature", 1, "model", "small", "top_p", 0.9);

    private Main() {}

    public static void main(String[] args) throws Exception {
        Path unleash = Path.of(args[0]);
        Path optimizely = Path.of(args[1]);
        String baseUrl = args[2];
        System.out.println("{\"runtime\":\"Java " + Runtime.version().feature() + "\",\"known\":"
                + decisions(baseUrl, unleash, optimizely, false) + ",\"new\":"
                + decisions(baseUrl, unleash, optimizely, true) + ",\"calls\":" + ownCalls(baseUrl)
                + ",\"events\":{\"`track`, sent and acknowledged\":" + delivery(baseUrl) + "},\"memory\":"
                + memory(baseUrl) + "}");
        // Other vendors' clients leave threads running.
        System.exit(0);
    }

    private static String decisions(String baseUrl, Path unleash, Path optimizely, boolean areNew) throws Exception {
        List<Contestant> contestants = List.of(
                Contestant.assay(baseUrl),
                Contestant.optimizely(optimizely, areNew),
                Contestant.unleash(unleash, areNew));
        contestants.forEach(Main::checkSplit);
        IntFunction<String> idOf = areNew ? serial -> "new-user-" + serial : ID;
        String rows = Workload.measure(contestants.stream()
                .map(each -> new Workload(each.name, each.decide, idOf, areNew, each.settle))
                .collect(Collectors.toList()));
        contestants.forEach(each -> each.stop.run());
        return rows;
    }

    /** The libraries hash differently, but each must put half of the users into each variant. */
    private static void checkSplit(Contestant contestant) {
        Map<String, Integer> counts = new HashMap<>();
        for (int serial = 0; serial < Workload.USERS; serial++) {
            counts.merge(contestant.decide.apply(ID.apply(serial)), 1, Integer::sum);
        }
        contestant.settle.run();
        boolean isEven = Contestant.VARIANTS.stream()
                .allMatch(key -> Math.abs(counts.getOrDefault(key, 0) / (double) Workload.USERS - 0.5) < LARGEST_SKEW);
        if (!isEven) {
            throw new IllegalStateException(contestant.name + " does not run the experiment: " + counts);
        }
    }

    private static String ownCalls(String baseUrl) {
        AssayClient client = Contestant.startClient(baseUrl, true);
        AssayClient silent = Contestant.startClient(baseUrl, false);
        String experiment = Contestant.EXPERIMENT;
        Map<String, Integer> lengths = new HashMap<>();
        for (int serial = 0; serial < Workload.USERS; serial++) {
            lengths.put(ID.apply(serial), serial);
        }
        Runnable settle = () -> Contestant.flushAll(client);
        List<Workload> workloads = new ArrayList<>(List.of(
                new Workload("reference: `HashMap.get` of the id", lengths::get, ID, false, NOTHING),
                new Workload("`assign`, known user", user -> client.assign(experiment, user), ID, false, settle),
                new Workload("`assign`, no exposures", user -> silent.assign(experiment, user), ID, false, NOTHING),
                new Workload(
                        "`assign`, id outside ASCII",
                        user -> silent.assign(experiment, user),
                        serial -> "användare-日本-" + serial,
                        false,
                        NOTHING),
                new Workload("`getPrompt`", user -> silent.getPrompt(experiment, user, ""), ID, false, NOTHING),
                new Workload(
                        "`getVariables`", user -> silent.getVariables(experiment, user, DEFAULTS), ID, false, NOTHING),
                new Workload(
                        "`track`",
                        user -> {
                            client.track("business_event", event(user));
                            return user;
                        },
                        ID,
                        false,
                        settle)));
        String rows = Workload.measure(workloads);
        client.close();
        silent.close();
        return rows;
    }

    private static Map<String, Object> event(String user) {
        return Map.of(
                "experiment_id",
                Contestant.EXPERIMENT,
                "user_id",
                user,
                "business_metric",
                "purchase",
                "value",
                1,
                "metadata",
                Map.of("plan", "pro"));
    }

    /** Events per second of the process's own CPU time: into the queue, and out of it, acknowledged. */
    private static String delivery(String baseUrl) {
        AssayClient client = Contestant.startClient(baseUrl, true);
        double[] rates = new double[Workload.IS_TINY ? 1 : 9];
        for (int round = -rates.length; round < rates.length; round++) {
            double start = cpuSeconds();
            for (int repeat = 0; repeat < REPEATS; repeat++) {
                for (int serial = 0; serial < EVENTS; serial++) {
                    client.track("business_event", event(ID.apply(serial)));
                }
                Contestant.flushAll(client);
            }
            if (round >= 0) {
                rates[round] = REPEATS * EVENTS / (cpuSeconds() - start);
            }
        }
        client.close();
        return Arrays.toString(rates);
    }

    private static double cpuSeconds() {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime() / 1e9;
    }

    /** Heap in use after a collection, in MiB, after 100,000 distinct users and after a million. */
    private static String memory(String baseUrl) {
        AssayClient client = Contestant.startClient(baseUrl, true);
        List<String> sizes = new ArrayList<>();
        for (int serial = 1; serial <= MEMORY_USERS; serial++) {
            client.assign(Contestant.EXPERIMENT, "memory-user-" + serial);
            if (serial % Workload.USERS == 0) {
                Contestant.flushAll(client);
            }
            if (serial == MEMORY_USERS / 10 || serial == MEMORY_USERS) {
                System.gc();
                long used =
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
                sizes.add("\"" + serial + "\":" + used / 1048576.0);
            }
        }
        client.close();
        return "{" + String.join(",", sizes) + "}";
    }
}
