package dev.assay.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.assay.AssayClient;
import dev.assay.springai.AssayChatModel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.publisher.Flux;

/** Streams of {@code AssayChatModel} that the matrix does not have. */
class SpringAiStreamTest {
    private final AssayClient assay = AssayClient.forTests(Map.of("greeting", "short"));

    private static final class Hello implements ChatModel {
        private RuntimeException failure;

        @Override
        public ChatResponse call(Prompt prompt) {
            return new ChatResponse(List.of(new Generation(new AssistantMessage("hello"))));
        }

        @Override
        public Flux<ChatResponse> stream(Prompt prompt) {
            if (failure != null) throw failure;
            return Flux.just(call(prompt));
        }
    }

    private final Hello hello = new Hello();
    private final ChatModel model = new AssayChatModel(hello, assay, "greeting");

    @ParameterizedTest
    @ValueSource(strings = {"text", "number"})
    void theUserOfReactorsContextMayBeATextOrANumber(String kind) {
        Object user = kind.equals("text") ? "42" : Long.valueOf(42);
        model.stream(new Prompt("hi"))
                .contextWrite(context -> context.put(AssayChatModel.USER, user))
                .blockLast();
        assertEquals(
                List.of("42", "42"),
                assay.trackedEvents().stream()
                        .map(event -> event.get("user_id"))
                        .toList());
    }

    @Test
    void aModelThatThrowsInsteadOfStreamingIsAFailedCall() {
        hello.failure = new IllegalStateException("no connection");
        Flux<ChatResponse> stream = model.stream(new Prompt("hi"));
        Throwable thrown =
                assertThrows(IllegalStateException.class, () -> assay.withUser("ann", () -> stream.blockLast()));
        assertSame(hello.failure, thrown);
        assertEquals(
                List.of("IllegalStateException"),
                assay.trackedEvents().stream()
                        .filter(event -> event.get("type").equals("model_call"))
                        .map(event -> event.get("error_type"))
                        .toList());
    }
}
