package dev.assay.support;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The exit code and the output of a program that a test ran. */
public final class Command {
    private static final long TIMEOUT_SECONDS = 240;

    /** A JVM that finds them says so on its standard error. */
    private static final List<String> JVM_OPTIONS = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    /** 0 for success. */
    public final int exitCode;

    /** What came on its standard output. */
    public final String output;

    /** What came on its standard error. */
    public final String errors;

    private Command(int exitCode, String output, String errors) {
        this.exitCode = exitCode;
        this.output = output;
        this.errors = errors;
    }

    /** Runs a program in a folder to its end, in this process's environment plus the given variables. */
    public static Command run(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        // Files, so that a program that prints much never waits for its reader.
        Path output = Files.createTempFile("assay-output", null);
        Path errors = Files.createTempFile("assay-errors", null);
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile());
            builder.environment().putAll(environment);
            builder.environment().keySet().removeAll(JVM_OPTIONS);
            Process process = builder.start();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("no end within " + TIMEOUT_SECONDS + " s: " + command);
            }
            return new Command(process.exitValue(), read(output), read(errors));
        } finally {
            Files.delete(output);
            Files.delete(errors);
        }
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "exit code " + exitCode + "\n" + output + errors;
    }
}
