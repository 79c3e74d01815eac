package dev.assay.springai;

import dev.assay.AssayClient;
import dev.assay.CallOptions;
import dev.assay.ModelCall;
import dev.assay.ModelCallFacts;
import dev.assay.frameworks.CallText;
import dev.assay.frameworks.Sampling;
import dev.assay.frameworks.Usage;
import java.util.Locale;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.publisher.Flux;

/**
 * A {@code ChatModel} of Spring AI that records each call of another model: an exposure and a {@code model_call}. The
 * user is that of {@link AssayClient#withUser} on the thread that calls or subscribes, or {@link #USER} of the Reactor
 * context.
 *
 * <pre>{@code
 * ChatClient.create(new AssayChatModel(model, assay, "greeting"))
 * }</pre>
 */
public final class AssayChatModel implements ChatModel {
    /** The key of the user's id in the Reactor context of a stream. */
    public static final String USER = "assay.user";

    private static final int MAX_TEXT = 65_537;

    private final ChatModel model;
    private final AssayClient assay;
    private final String experiment;
    private final CallOptions options;

    /**
     * Creates a model.
     *
     * @param model makes the calls
     * @param assay the client
     * @param experiment the experiment's name or id
     */
    public AssayChatModel(ChatModel model, AssayClient assay, String experiment) {
        this(model, assay, experiment, CallOptions.create());
    }

    /**
     * Creates a model.
     *
     * @param model makes the calls
     * @param assay the client
     * @param experiment the experiment's name or id
     * @param options the calls' user, and the metadata of their events
     */
    public AssayChatModel(ChatModel model, AssayClient assay, String experiment, CallOptions options) {
        this.model = model;
        this.assay = assay;
        this.experiment = experiment;
        this.options = options;
    }

    @Override
    public ChatResponse call(Prompt prompt) {
        ModelCall call = assay.startModelCall(experiment, options);
        Answer answer = new Answer(prompt, model);
        try {
            ChatResponse response = call.run(() -> model.call(prompt));
            answer.take(response);
            call.finish(answer.facts());
            return response;
        } catch (Throwable thrown) {
            call.fail(thrown, answer.facts());
            throw thrown;
        }
    }

    @Override
    public Flux<ChatResponse> stream(Prompt prompt) {
        return Flux.deferContextual(context -> {
            Object user = context.getOrDefault(USER, null);
            ModelCall call = assay.startModelCall(experiment, user == null ? options : options.user(user.toString()));
            Answer answer = new Answer(prompt, model);
            // Deferred, so that a model that throws at once fails the call as a stream does.
            return Flux.defer(() -> call.run(() -> model.stream(prompt)))
                    .doOnNext(chunk -> {
                        answer.take(chunk);
                        if (answer.hasText()) call.firstToken();
                    })
                    .doOnComplete(() -> call.finish(answer.facts()))
                    .doOnError(thrown -> call.fail(thrown, answer.facts()))
                    .doOnCancel(() -> call.abort(answer.facts()));
        });
    }

    @Override
    public ChatOptions getOptions() {
        return optionsOf(model);
    }

    /**
     * The options of Spring AI 1, where they have this name only.
     *
     * @return those of the other model
     */
    @SuppressWarnings("removal")
    public ChatOptions getDefaultOptions() {
        return optionsOf(model);
    }

    private static ChatOptions optionsOf(ChatModel model) {
        try {
            return model.getOptions();
        } catch (NoSuchMethodError e) {
            try {
                // By its name, because a later version has it no more.
                return (ChatOptions)
                        ChatModel.class.getMethod("getDefaultOptions").invoke(model);
            } catch (ReflectiveOperationException missing) {
                throw e;
            }
        }
    }

    /** What is known about a call so far. It never throws into the call. */
    private static final class Answer {
        private final ModelCallFacts.Builder facts = ModelCallFacts.builder();
        private final StringBuilder text = new StringBuilder();

        Answer(Prompt prompt, ChatModel model) {
            facts.provider(Providers.nameOf(model));
            try {
                ChatOptions defaults = optionsOf(model);
                CallText said = new CallText();
                prompt.getInstructions().forEach(message -> add(message, said));
                ChatOptions chosen = prompt.getOptions();
                String named = chosen == null ? null : chosen.getModel();
                facts.requestedModel(named == null && defaults != null ? defaults.getModel() : named);
                facts.prompt(said.toString());
                // A prompt's own options replace the defaults as a whole.
                Sampling.add(facts, chosen == null ? defaults : chosen);
            } catch (RuntimeException | LinkageError e) {
                // The call is recorded without its prompt.
            }
        }

        private static void add(Message message, CallText said) {
            String role = message.getMessageType().getValue();
            if (message instanceof AssistantMessage answer) said.message(role, textOf(answer));
            else if (message instanceof ToolResponseMessage tool) {
                tool.getResponses().forEach(response -> said.message(role, response.responseData()));
            } else said.message(role, message.getText());
        }

        private static String textOf(AssistantMessage message) {
            String text = message.getText();
            for (AssistantMessage.ToolCall tool : message.getToolCalls()) {
                text = CallText.withToolCall(text, tool.name(), tool.arguments());
            }
            return text;
        }

        synchronized void take(ChatResponse chunk) {
            try {
                String answered = blankToNull(chunk.getMetadata().getModel());
                if (answered != null) facts.model(answered);
                takeUsage(chunk.getMetadata().getUsage());
                Generation first = chunk.getResult();
                if (first == null) return;
                String said = textOf(first.getOutput());
                if (said != null && text.length() < MAX_TEXT) text.append(said);
                String reason = blankToNull(first.getMetadata().getFinishReason());
                if (reason != null) facts.finishReason(reason.toLowerCase(Locale.ROOT));
            } catch (RuntimeException | LinkageError e) {
                // A part of the answer has an unexpected shape; the rest is recorded.
            }
        }

        /** Chunks before the last one have no usage, or one with zeros. */
        private void takeUsage(org.springframework.ai.chat.metadata.Usage usage) {
            if (usage == null || usage.getTotalTokens() == null || usage.getTotalTokens() == 0) return;
            Usage.add(facts, usage.getPromptTokens(), usage.getCompletionTokens(), usage.getNativeUsage());
        }

        private static String blankToNull(String text) {
            return text == null || text.isBlank() ? null : text;
        }

        synchronized boolean hasText() {
            return text.length() > 0;
        }

        synchronized ModelCallFacts facts() {
            return facts.response(text.toString()).build();
        }
    }
}
