package dev.assay.support;

import dev.assay.AssayClient;
import dev.assay.AssayClientBuilder;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the child processes of the tests do: {@code <program> <count> [<prefix of the event ids>]}. */
public final class ChildPrograms {
    private ChildPrograms() {}

    /** Runs a program. */
    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        String prefix = args.length > 2 ? args[2] : "e";
        switch (args[0]) {
            case "end":
                track(readyClient(), count, prefix);
                return;
            case "hasty":
                track(client(), count, prefix);
                return;
            case "exit":
                track(readyClient(), count, prefix);
                System.exit(3);
                return;
            case "throw":
                track(readyClient(), count, prefix);
                throw new IllegalStateException("uncaught");
            case "close":
                try (AssayClient client = readyClient()) {
                    track(client, count, prefix);
                }
                return;
            case "stay":
                track(client(), count, prefix);
                Thread.sleep(Long.MAX_VALUE);
                return;
            case "wait":
                waitForChanges(count, prefix);
                return;
            case "durable":
                durable(count, prefix);
                return;
            case "replay":
                replay();
                return;
            case "many":
                many(count);
                return;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }

    private static AssayClient client() {
        AssayClientBuilder builder = AssayClient.builder();
        String folder = System.getenv("FOLDER");
        return (folder == null ? builder : builder.offlineStore(Path.of(folder))).build();
    }

    /** Ends with its standard input, and does not close its client. */
    private static void waitForChanges(int count, String prefix) throws IOException {
        AssayClient client = AssayClient.builder().longPoll(true).build();
        client.awaitReady(Duration.ofSeconds(60));
        track(client, count, prefix);
        while (System.in.read() >= 0) {}
    }

    /** Has its connection and its classes, so that even a busy machine needs little of the 2 s at the end. */
    private static AssayClient readyClient() {
        AssayClient client = client();
        client.awaitReady(Duration.ofSeconds(60));
        return client;
    }

    private static void track(AssayClient client, int count, String prefix) {
        for (int i = 0; i < count; i++) {
            client.track(
                    "business_event",
                    Map.of(
                            "event_id",
                            prefix + i,
                            "experiment_id",
                            "greeting",
                            "user_id",
                            "u",
                            "business_metric",
                            "m"));
        }
    }

    /** Tracks from two threads, one of them interrupted, says so, and stays. */
    private static void durable(int count, String prefix) throws Exception {
        AssayClient client = AssayClient.builder()
                .offlineStore(Path.of(System.getenv("FOLDER")))
                .durable(true)
                .flushInterval(Duration.ofHours(1))
                .build();
        Thread other = new Thread(() -> {
            Thread.currentThread().interrupt();
            track(client, count, prefix + "other");
        });
        other.start();
        track(client, count, prefix);
        other.join();
        System.out.println("tracked");
        Thread.sleep(Long.MAX_VALUE);
    }

    /** Runs until no events are in the folder. */
    private static void replay() throws Exception {
        try (AssayClient client = client()) {
            client.awaitReady(Duration.ofSeconds(60));
            File folder = new File(System.getenv("FOLDER"));
            while (folder.list((any, name) -> name.contains(".ndjson")).length > 0) Thread.sleep(5);
        }
    }

    /**
     * Opens and closes clients. Prints what is left after one, and after many: threads, descriptors, exit
     * hooks.
     */
    private static void many(int count) throws Exception {
        once();
        System.out.println(leftovers());
        for (int i = 0; i < count; i++) once();
        System.out.println(leftovers());
    }

    private static void once() {
        try (AssayClient client = client()) {
            track(client, 1, "e");
        }
    }

    private static String leftovers() throws Exception {
        // The JDK's client ends when it is collected.
        for (int tries = 0; tries < 100 && !threads().isEmpty(); tries++) {
            System.gc();
            Thread.sleep(100);
        }
        Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
        hooks.setAccessible(true);
        int descriptors = new File("/proc/self/fd").list().length;
        return threads() + " " + descriptors + " descriptors, " + ((Map<?, ?>) hooks.get(null)).size() + " hooks";
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("(assay|HttpClient).*"))
                .collect(Collectors.toList());
    }
}
