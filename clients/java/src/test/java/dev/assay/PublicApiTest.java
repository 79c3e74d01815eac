package dev.assay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.assay.support.Build;
import dev.assay.support.Command;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The public API. */
class PublicApiTest {
    private static final Path SOURCES = Build.client().resolve("src/main/java");

    /** Changing the list changes the API for everybody who uses the client. */
    @Test
    void isWhatTheListSays() throws Exception {
        Path list = Build.client().resolve("src/test/resources/public-api.txt");
        assertEquals(Files.readString(list), describe());
    }

    @Test
    void isDocumentedWhole(@TempDir Path folder) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-quiet", "-Xdoclint:all", "-Werror"));
        arguments.addAll(List.of("-d", folder.toString(), "-sourcepath", SOURCES.toString()));
        arguments.add(SOURCES.resolve("module-info.java").toString());
        // The other packages are not exported, so javadoc does not see them.
        try (Stream<Path> files = Files.list(SOURCES.resolve("dev/assay"))) {
            files.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(arguments::add);
        }
        StringWriter said = new StringWriter();
        PrintWriter printer = new PrintWriter(said);
        int exitCode =
                ToolProvider.findFirst("javadoc").orElseThrow().run(printer, printer, arguments.toArray(String[]::new));
        assertEquals("0: ", exitCode + ": " + said);
    }

    @Test
    void isLoadedWithoutAThread() throws Exception {
        String program =
                Build.client().resolve("src/test/resources/LoadsTheClient.java").toString();
        Command ended = Command.run(
                Build.client(),
                Map.of(),
                List.of(Build.tool("java"), "-classpath", Build.classes().toString(), program));
        assertEquals("[]\n", ended.output, ended.errors);
    }

    /** Every public class of the package, with the members that others can reach. */
    private static String describe() throws Exception {
        StringBuilder text = new StringBuilder();
        for (String name : classNames()) {
            Class<?> type = Class.forName(name);
            if (!Modifier.isPublic(type.getModifiers())) continue;
            text.append(type.toGenericString()).append('\n');
            for (String member : members(type))
                text.append("    ").append(member).append('\n');
        }
        return text.toString();
    }

    private static Set<String> classNames() throws IOException {
        Path folder = Build.classes().resolve("dev/assay");
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
                    .map(name -> "dev.assay." + name.replace(".class", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> members(Class<?> type) {
        Stream<Member> constructorsAndFields =
                Stream.concat(Stream.of(type.getDeclaredConstructors()), Stream.of(type.getDeclaredFields()));
        return Stream.concat(constructorsAndFields, Stream.of(type.getDeclaredMethods()))
                .filter(PublicApiTest::isReachable)
                .map(PublicApiTest::describe)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String describe(Member member) {
        if (member instanceof Field) return ((Field) member).toGenericString();
        return ((Executable) member).toGenericString();
    }

    private static boolean isReachable(Member member) {
        return !member.isSynthetic() && (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }
}
