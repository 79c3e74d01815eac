package dev.assay.support;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.AssayClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The results of the build, and its sources. */
public final class Build {
    private Build() {}

    /** Returns the client's folder, which holds its {@code pom.xml}. */
    public static Path client() {
        return Repository.root().resolve("clients/java");
    }

    /** Returns the version in the client's {@code pom.xml}. */
    public static String version() {
        try {
            String pom = Files.readString(client().resolve("pom.xml"));
            Matcher version = Pattern.compile("\n  <version>(.*)</version>\n").matcher(pom);
            assertTrue(version.find());
            return version.group(1);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns the folder of the client's classes, wherever this build puts it. */
    public static Path classes() {
        try {
            return Path.of(AssayClient.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    /** Returns a program of the running JDK. */
    public static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }
}
