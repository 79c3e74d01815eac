package dev.assay.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Clients with a virtual clock: time passes instantly and exactly, whenever no client has anything
 * left to do.
 */
public final class VirtualRun {
    private static final class Task {
        final long at;
        final Runnable work;

        Task(long at, Runnable work) {
            this.at = at;
            this.work = work;
        }
    }

    private final List<Task> tasks = new ArrayList<>();
    private final List<VirtualClient> clients = new ArrayList<>();
    private final Map<String, List<Object>> scenario;
    private long now;

    /** Installs the scenario: replies by path. */
    public VirtualRun(Map<String, List<Object>> scenario) throws Exception {
        this.scenario = scenario;
        ScenarioServer.get().install(scenario);
    }

    /** Returns the time in milliseconds. */
    public long now() {
        return now;
    }

    /** Returns the reply to the n-th request for a path. */
    Object reply(String path, int n) {
        List<Object> replies = scenario.get(path);
        return replies.get(Math.min(n, replies.size() - 1));
    }

    void add(VirtualClient client) {
        clients.add(client);
    }

    /** Schedules work at a time. Work at the same time runs in the order of these calls. */
    public void at(long ms, Runnable work) {
        tasks.add(new Task(ms, work));
    }

    /** Lets time pass. */
    public void runUntil(long end) {
        for (; ; ) {
            runTasks();
            settle();
            long next = nextAt();
            if (next > end) return;
            now = Math.max(now, next);
            for (VirtualClient client : clients) client.tick();
        }
    }

    private void runTasks() {
        for (int i = 0; i < tasks.size(); i++) {
            if (tasks.get(i).at <= now) tasks.remove(i--).work.run();
        }
    }

    private void settle() {
        boolean isBusy;
        do {
            isBusy = false;
            for (VirtualClient client : clients) isBusy |= client.doOne();
        } while (isBusy);
    }

    private long nextAt() {
        long next = Long.MAX_VALUE;
        for (Task task : tasks) next = Math.min(next, task.at);
        for (VirtualClient client : clients) next = Math.min(next, client.wakeAt());
        return next;
    }
}
