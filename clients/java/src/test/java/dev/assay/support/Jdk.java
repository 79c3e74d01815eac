package dev.assay.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A JDK on this machine. */
public final class Jdk {
    private static final int OLDEST = 11;
    private static final Path INSTALLED = Path.of("/usr/lib/jvm");
    private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)([^\"]*)\"");

    private final Path home;

    /** As in 17. */
    public final int feature;

    /** As in 17.0.15. */
    public final String version;

    private Jdk(Path home, int feature, String version) {
        this.home = home;
        this.feature = feature;
        this.version = version;
    }

    /** Returns one JDK of each version from 11 on, including the running one, oldest first. */
    public static List<Jdk> all() throws IOException {
        Map<String, Jdk> byVersion = new LinkedHashMap<>();
        for (Path home : homes()) {
            Jdk jdk = read(home);
            if (jdk != null) byVersion.putIfAbsent(jdk.version, jdk);
        }
        List<Jdk> jdks = new ArrayList<>(byVersion.values());
        jdks.sort(Comparator.comparingInt(jdk -> jdk.feature));
        return jdks;
    }

    /** Returns the path of one of its programs. */
    public String tool(String name) {
        return home.resolve("bin").resolve(name).toString();
    }

    @Override
    public String toString() {
        return "JDK " + version;
    }

    private static List<Path> homes() throws IOException {
        List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
        if (!Files.isDirectory(INSTALLED)) return homes;
        try (Stream<Path> folders = Files.list(INSTALLED)) {
            folders.sorted().forEach(homes::add);
        }
        return homes;
    }

    /** Null for a folder without a JDK, or with an older one or a mere runtime. */
    private static Jdk read(Path home) throws IOException {
        Path release = home.resolve("release");
        if (!Files.isExecutable(home.resolve("bin/javac")) || !Files.exists(release)) return null;
        Matcher version = VERSION.matcher(Files.readString(release));
        if (!version.find() || Integer.parseInt(version.group(1)) < OLDEST) return null;
        return new Jdk(home, Integer.parseInt(version.group(1)), version.group(1) + version.group(2));
    }
}
