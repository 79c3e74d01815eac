package dev.assay.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.assay.AssayClient;
import dev.assay.ModelCallFacts;
import dev.assay.langchain4j.AssayListener;
import dev.assay.langchain4j.AssayStreamingChatModel;
import dev.assay.springai.AssayChatModel;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.openai.OpenAiChatOptions;

/** The sampling settings in an event's metadata are those that the framework sends, its models' defaults included. */
class SamplingTest {
    private static final String ASKED = "case=whole size=1";
    private static final String ASKED_STREAM = "case=stream size=1";

    private final AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));
    private FakeProvider provider;

    @BeforeEach
    void startProvider() throws Exception {
        provider = new FakeProvider();
    }

    @AfterEach
    void stopProvider() {
        provider.close();
    }

    @Test
    void ofLangChain4jWithOpenAi() {
        OpenAiChatModel model = OpenAiChatModel.builder()
                .apiKey("k")
                .baseUrl(provider.url() + "/v1")
                .modelName("m")
                .temperature(0.2)
                .maxTokens(60)
                .seed(7)
                .listeners(new AssayListener(assay, "greeting"))
                .build();
        ChatRequest request = ChatRequest.builder()
                .messages(UserMessage.from(ASKED))
                .temperature(0.5)
                .topP(0.75)
                .build();
        assay.withUser("ann", () -> model.chat(request));
        assertSettings(Map.of("temperature", 0.5, "top_p", 0.75, "max_tokens", 60L, "seed", 7L));
    }

    @Test
    void ofAStreamOfLangChain4j() throws Exception {
        OpenAiStreamingChatModel plain = OpenAiStreamingChatModel.builder()
                .apiKey("k")
                .baseUrl(provider.url() + "/v1")
                .modelName("m")
                .temperature(0.2)
                .maxCompletionTokens(60)
                .build();
        AssayStreamingChatModel model = new AssayStreamingChatModel(plain, assay, "greeting");
        ChatRequest request = ChatRequest.builder()
                .messages(UserMessage.from(ASKED_STREAM))
                .topP(0.75)
                .build();
        CountDownLatch end = new CountDownLatch(1);
        assay.withUser("ann", () -> {
            model.chat(request, new StreamingChatResponseHandler() {
                @Override
                public void onCompleteResponse(ChatResponse response) {
                    end.countDown();
                }

                @Override
                public void onError(Throwable error) {
                    end.countDown();
                }
            });
            return null;
        });
        end.await(30, TimeUnit.SECONDS);
        assertSettings(Map.of("temperature", 0.2, "top_p", 0.75, "max_tokens", 60L));
        assertEquals("m", assay.trackedEvents().get(1).get("requested_model"));
    }

    @Test
    void ofLangChain4jWithAnthropic() {
        AnthropicChatModel model = AnthropicChatModel.builder()
                .apiKey("k")
                .baseUrl(provider.url() + "/v1")
                .modelName("m")
                .temperature(0.2)
                .maxTokens(60)
                .listeners(new AssayListener(assay, "greeting"))
                .build();
        assay.withUser("ann", () -> model.chat(ASKED));
        assertSettings(Map.of("temperature", 0.2, "max_tokens", 60L));
    }

    @Test
    void ofSpringAi() {
        OpenAiChatOptions.Builder defaults = options();
        defaults.temperature(0.2);
        defaults.seed(7);
        OpenAiChatOptions.Builder asked = options();
        asked.temperature(0.5);
        asked.topP(0.75);
        asked.maxCompletionTokens(60);
        callSpringAi(defaults, asked.build());
        assertSettings(Map.of("temperature", 0.5, "top_p", 0.75, "max_tokens", 60L));
    }

    @Test
    void ofSpringAiWithTheDefaultsAlone() {
        OpenAiChatOptions.Builder defaults = options();
        defaults.temperature(0.2);
        defaults.maxTokens(50);
        callSpringAi(defaults, null);
        assertSettings(Map.of("temperature", 0.2, "max_tokens", 50L));
    }

    @Test
    void noneIsReportedWhereNoneIsSet() {
        callSpringAi(options(), null);
        assertNull(assay.trackedEvents().get(1).get("metadata"));
        assertEquals(Map.of(), sent());
    }

    private static OpenAiChatOptions.Builder options() {
        OpenAiChatOptions.Builder options = OpenAiChatOptions.builder();
        options.model("m");
        return options;
    }

    private void callSpringAi(OpenAiChatOptions.Builder defaults, OpenAiChatOptions asked) {
        OpenAIClient openai = OpenAIOkHttpClient.builder()
                .apiKey("k")
                .baseUrl(provider.url() + "/v1")
                .build();
        AssayChatModel model = new AssayChatModel(
                org.springframework.ai.openai.OpenAiChatModel.builder()
                        .openAiClient(openai)
                        .openAiClientAsync(openai.async())
                        .options(defaults.build())
                        .build(),
                assay,
                "greeting");
        assay.withUser("ann", () -> model.call(new Prompt(ASKED, asked)));
        openai.close();
    }

    /** Returns the settings of the request that the provider received. */
    private Map<?, ?> sent() {
        Object metadata =
                ModelCallFacts.fromWire(provider.bodies.get(0), null).fields().get("metadata");
        return metadata == null ? Map.of() : (Map<?, ?>) metadata;
    }

    private void assertSettings(Map<?, ?> expected) {
        assertEquals(expected, sent(), "the provider received them");
        assertEquals(expected, assay.trackedEvents().get(1).get("metadata"));
    }
}
