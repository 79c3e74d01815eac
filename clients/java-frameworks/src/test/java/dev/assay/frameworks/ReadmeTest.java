package dev.assay.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.assay.AssayClient;
import dev.openfeature.sdk.OpenFeatureAPI;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;

/** Compiles and runs the programs of the README unchanged. */
class ReadmeTest {
    private static final Pattern PROGRAM = Pattern.compile("```java\\n// (\\S+)\\.java\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    private final AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));

    @Test
    void langChain4jReportsItsCall() throws Exception {
        try (FakeProvider provider = new FakeProvider()) {
            Method ask = compile("WithLangChain4j")
                    .getDeclaredMethod("ask", AssayClient.class, String.class, String.class, String.class);
            ask.setAccessible(true);
            assertEquals("Hello you", ask.invoke(null, assay, provider.url() + "/v1", "ann", "case=whole size=1"));
            assertReported();
        }
    }

    @Test
    void springAiReportsItsCall() throws Exception {
        try (FakeProvider provider = new FakeProvider()) {
            OpenAIClient openai = OpenAIOkHttpClient.builder()
                    .apiKey("k")
                    .baseUrl(provider.url() + "/v1")
                    .build();
            OpenAiChatOptions.Builder options = OpenAiChatOptions.builder();
            options.model("m");
            ChatModel yours = OpenAiChatModel.builder()
                    .openAiClient(openai)
                    .openAiClientAsync(openai.async())
                    .options(options.build())
                    .build();
            Method ask = compile("WithSpringAi")
                    .getDeclaredMethod("ask", AssayClient.class, ChatModel.class, String.class, String.class);
            ask.setAccessible(true);
            assertEquals("Hello you", ask.invoke(null, assay, yours, "ann", "case=whole size=1"));
            assertReported();
            openai.close();
        }
    }

    @Test
    void openFeatureGivesTheVariantAndReportsAnOutcome() throws Exception {
        Method variant = compile("WithOpenFeature").getDeclaredMethod("variant", AssayClient.class, String.class);
        variant.setAccessible(true);
        assertEquals("short", variant.invoke(null, assay, "ann"));
        List<Map<String, Object>> events = assay.trackedEvents();
        assertEquals(
                List.of("exposure", "business_event"),
                events.stream().map(event -> event.get("type")).toList());
        assertEquals("thumbs_up", events.get(1).get("business_metric"));
        OpenFeatureAPI.getInstance().shutdown();
    }

    private void assertReported() {
        Map<String, Object> call = assay.trackedEvents().get(1);
        assertEquals(2, assay.trackedEvents().size());
        assertEquals("ann", call.get("user_id"));
        assertEquals("Hello you", call.get("response"));
        assertEquals(41L, call.get("input_tokens"));
    }

    private Class<?> compile(String name) throws Exception {
        Matcher programs = PROGRAM.matcher(Files.readString(Path.of("README.md")));
        while (programs.find()) {
            if (!programs.group(1).equals(name)) continue;
            Path source = Files.writeString(folder.resolve(name + ".java"), programs.group(2));
            String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
            int exitCode = ToolProvider.getSystemJavaCompiler()
                    .run(null, null, null, "-cp", path, "-d", folder.toString(), source.toString());
            assertEquals(0, exitCode);
            URL[] classes = {folder.toUri().toURL()};
            return new URLClassLoader(classes, getClass().getClassLoader()).loadClass(name);
        }
        throw new AssertionError("the README has no program " + name);
    }
}
