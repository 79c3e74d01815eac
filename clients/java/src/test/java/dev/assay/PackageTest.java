package dev.assay;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.support.Build;
import dev.assay.support.Command;
import dev.assay.support.GreetingService;
import dev.assay.support.Jdk;
import dev.assay.support.Repository;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Inspects the published jar and uses it as an application does. */
class PackageTest {
    private static final String JAVA_11 = "55";
    private static final String VERSION = "0.1.0";
    private static final Path SOURCES = Build.client().resolve("src/main/java");

    /** Maven packs it before it runs the tests. */
    private static final Path JAR = Build.classes().resolveSibling("assay-client-" + VERSION + ".jar");

    private GreetingService service;

    @BeforeAll
    static void theJarIsThere() {
        assertTrue(Files.exists(JAR), "mvn process-classes makes " + JAR);
    }

    @Test
    void isAModuleThatExportsItsOnePackageAndNeedsOnlyTheHttpClient() {
        ModuleDescriptor module =
                ModuleFinder.of(JAR).find("dev.assay.client").orElseThrow().descriptor();
        assertFalse(module.isAutomatic() || module.isOpen());
        Set<String> exports = module.exports().stream().map(Object::toString).collect(Collectors.toSet());
        assertEquals(Set.of("dev.assay"), exports);
        Set<String> requires =
                module.requires().stream().map(ModuleDescriptor.Requires::name).collect(Collectors.toSet());
        assertEquals(Set.of("java.base", "java.net.http"), requires);
    }

    @Test
    void holdsTheClassesOfTheSourcesAndNoOthersAllForJava11() throws IOException {
        Set<String> sources = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            files.map(file -> SOURCES.relativize(file).toString())
                    .filter(name -> name.endsWith(".java"))
                    .forEach(name -> sources.add(name.replace(".java", "")));
        }
        Set<String> packed = new TreeSet<>();
        try (JarFile jar = new JarFile(JAR.toFile())) {
            for (JarEntry entry : entries(jar, ".class")) {
                packed.add(entry.getName().replaceAll("(\\$.*)?\\.class$", ""));
                assertEquals(JAVA_11, versionOf(jar, entry), entry.getName());
            }
        }
        assertEquals(sources, packed);
    }

    @Test
    void holdsTheLicenceAndMavensDescriptionAndNothingElse() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            Set<String> others = entries(jar, "").stream()
                    .map(JarEntry::getName)
                    .filter(name -> !name.endsWith("/") && !name.endsWith(".class"))
                    .collect(Collectors.toCollection(TreeSet::new));
            String maven = "META-INF/maven/dev.assay/assay-client/pom.";
            String licence = "META-INF/LICENSE";
            String manifest = "META-INF/MANIFEST.MF";
            assertEquals(Set.of(licence, manifest, maven + "xml", maven + "properties"), others);
            assertArrayEquals(
                    Files.readAllBytes(Repository.root().resolve("LICENSE")),
                    jar.getInputStream(jar.getEntry(licence)).readAllBytes());
        }
    }

    @Test
    void saysWhatMavenCentralAsksFor() throws Exception {
        String pom = Files.readString(Build.client().resolve("pom.xml"));
        assertTrue(pom.contains("\n  <version>" + VERSION + "</version>\n"));
        assertTrue(pom.contains("<name>Apache-2.0</name>"));
        for (String field : List.of("name", "description", "url", "licenses", "developers", "scm")) {
            assertTrue(pom.matches("(?s).*\n  <" + field + ">\\s*\\S.*?</" + field + ">\n.*"), field);
        }
    }

    @TestFactory
    Stream<DynamicTest> aModularApplicationIsCompiledAndRuns(@TempDir Path folder) throws IOException {
        return Jdk.all().stream()
                .map(jdk -> DynamicTest.dynamicTest("on " + jdk, () -> {
                    Path classes = compileConsumer(jdk, folder.resolve(jdk.version));
                    String main = "consumer/consumer.Main";
                    assertWorks(run(jdk.tool("java"), "--module-path", path(JAR, classes), "--module", main), true);
                }));
    }

    @TestFactory
    Stream<DynamicTest> theSameApplicationRunsOnTheClassPath(@TempDir Path folder) throws IOException {
        return Jdk.all().stream()
                .map(jdk -> DynamicTest.dynamicTest("on " + jdk, () -> {
                    Path classes = compileConsumer(jdk, folder.resolve(jdk.version));
                    assertWorks(run(jdk.tool("java"), "-classpath", path(JAR, classes), "consumer.Main"), false);
                }));
    }

    @Test
    void thatHoldsOnMoreThanOneJdk() throws IOException {
        List<Jdk> jdks = Jdk.all();
        System.err.println("The packed client is used on " + jdks + ".");
        Assumptions.assumeTrue(jdks.size() > 1, "NOT RUN: the packed client on another JDK: " + jdks);
    }

    @Test
    void theInternalPackagesAreClosedToModules(@TempDir Path folder) throws Exception {
        Path source = folder.resolve("Peek.java");
        Files.writeString(source, "package peek; class Peek { dev.assay.internal.json.Json json; }");
        Path module = folder.resolve("module-info.java");
        Files.writeString(module, "module peek { requires dev.assay.client; }");
        String javac = Build.tool("javac");
        Command ended = run(javac, "--module-path", JAR.toString(), source.toString(), module.toString());
        assertEquals(1, ended.exitCode);
        assertTrue(ended.errors.contains("package dev.assay.internal.json is not visible"), ended.errors);
    }

    private Path compileConsumer(Jdk jdk, Path classes) throws Exception {
        Path sources = Build.client().resolve("src/test/resources/consumer");
        Command ended = run(
                jdk.tool("javac"),
                "-Xlint:all",
                "-Werror",
                "--module-path",
                JAR.toString(),
                "-d",
                classes.toString(),
                sources.resolve("module-info.java").toString(),
                sources.resolve("consumer/Main.java").toString());
        assertEquals(0, ended.exitCode, ended.toString());
        return classes;
    }

    private void assertWorks(Command ended, boolean isModule) throws Exception {
        assertEquals("true short 0.2 Yes. true " + isModule + "\n", ended.output, ended.errors);
        assertEquals("", ended.errors);
        assertEquals(0, ended.exitCode);
        List<String> sent = service.events().stream()
                .map(event -> event.get("type") + " " + event.get("prompt") + " " + event.get("response"))
                .collect(Collectors.toList());
        assertEquals(List.of("exposure null null", "exposure null null", "model_call null Yes."), sent);
    }

    private Command run(String... command) throws Exception {
        service = new GreetingService();
        return Command.run(Build.client(), service.environment(), List.of(command));
    }

    private static String path(Path... entries) {
        return Stream.of(entries).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private static List<JarEntry> entries(JarFile jar, String ending) {
        return jar.stream().filter(entry -> entry.getName().endsWith(ending)).collect(Collectors.toList());
    }

    /** The major version of the class file's format. */
    private static String versionOf(JarFile jar, JarEntry entry) throws IOException {
        try (DataInputStream bytes = new DataInputStream(jar.getInputStream(entry))) {
            bytes.readInt();
            int minor = bytes.readUnsignedShort();
            return bytes.readUnsignedShort() + (minor == 0 ? "" : "." + minor);
        }
    }
}
