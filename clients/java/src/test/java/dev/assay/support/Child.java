package dev.assay.support;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Java process that runs one of {@link ChildPrograms} against the scenario server. */
public final class Child {
    private final Process process;
    private final Path output;

    private Child(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts one; {@code folder} is its store, null for none. */
    public static Child start(Path folder, String... program) throws IOException {
        return start(ChildPrograms.class, folder, program);
    }

    /** Starts another class with a main method. */
    public static Child start(Class<?> main, Path folder, String... program) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "--add-opens", "java.base/java.lang=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(program));
        Path output = Files.createTempFile("assay-child", ".txt");
        output.toFile().deleteOnExit();
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("ASSAY_API_KEY", "svc_pk_1");
        builder.environment().put("ASSAY_BASE_URL", ScenarioServer.get().url());
        if (folder != null) builder.environment().put("FOLDER", folder.toString());
        return new Child(builder.start(), output);
    }

    /** Waits for its end; returns the exit code. */
    public int exitCode() throws InterruptedException {
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the child does not end");
        }
        return process.exitValue();
    }

    /** Returns what it printed. */
    public String output() throws IOException {
        return Files.readString(output);
    }

    /** Ends its standard input. */
    public void endInput() throws IOException {
        process.getOutputStream().close();
    }

    /** Sends it SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** Kills it and waits for its end. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
