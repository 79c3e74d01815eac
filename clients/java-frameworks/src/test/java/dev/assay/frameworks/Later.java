package dev.assay.frameworks;

/** Code that runs on another thread after a moment. */
final class Later {
    private static final int MOMENT_MS = 300;

    private Later() {}

    static void run(Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(MOMENT_MS);
            } catch (InterruptedException e) {
                return;
            }
            work.run();
        });
        thread.setDaemon(true);
        thread.start();
    }
}
