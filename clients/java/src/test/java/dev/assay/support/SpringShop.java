package dev.assay.support;

import dev.assay.AssayClient;
import dev.assay.AssayClientBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A Spring Boot application with a worker that tracks continuously: it takes a second to stop, and still
 * tracks during that time. It prints the number of events it has tracked.
 */
@Configuration(proxyBeanMethods = false)
public class SpringShop {
    /** Starts the application. */
    public static void main(String[] args) {
        new SpringApplication(SpringShop.class).run(args);
    }

    /**
     * The client, closed after its users. It has its connection and its classes, so that even a busy machine needs little of
     * the seconds at the end.
     */
    @Bean(destroyMethod = "close")
    public AssayClient assay() {
        AssayClientBuilder builder = AssayClient.builder();
        String folder = System.getenv("FOLDER");
        AssayClient client = (folder == null ? builder : builder.offlineStore(Path.of(folder))).build();
        client.awaitReady(Duration.ofSeconds(60));
        return client;
    }

    /** A bean that uses it. */
    @Bean(initMethod = "start", destroyMethod = "stop")
    public Worker worker(AssayClient assay) {
        return new Worker(assay);
    }

    /** Tracks an event every 10 ms until it is stopped. */
    public static final class Worker {
        private final AssayClient assay;
        private final Thread thread = new Thread(this::work);
        private volatile boolean isStopped;
        private int count;

        Worker(AssayClient assay) {
            this.assay = assay;
        }

        /** Starts its thread. */
        public void start() {
            thread.start();
        }

        /** Continues for a second. */
        public void stop() throws InterruptedException {
            Thread.sleep(1_000);
            isStopped = true;
            thread.join();
            System.out.println("tracked " + count);
        }

        private void work() {
            try {
                while (!isStopped) {
                    assay.track(
                            "business_event", Map.of("event_id", "e" + count++, "experiment_id", "x", "user_id", "u"));
                    if (count == 20) System.out.println("at work");
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
