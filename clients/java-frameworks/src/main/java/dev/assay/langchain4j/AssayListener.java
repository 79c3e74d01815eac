package dev.assay.langchain4j;

import dev.assay.AssayClient;
import dev.assay.CallOptions;
import dev.assay.ModelCall;
import dev.assay.ModelCallFacts;
import dev.langchain4j.model.chat.listener.ChatModelErrorContext;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.listener.ChatModelRequestContext;
import dev.langchain4j.model.chat.listener.ChatModelResponseContext;
import dev.langchain4j.model.embedding.listener.EmbeddingModelErrorContext;
import dev.langchain4j.model.embedding.listener.EmbeddingModelListener;
import dev.langchain4j.model.embedding.listener.EmbeddingModelRequestContext;
import dev.langchain4j.model.embedding.listener.EmbeddingModelResponseContext;
import java.util.Map;

/**
 * Records each call of the LangChain4j models that it is registered with: an exposure and a {@code model_call}. The
 * user is that of {@link AssayClient#withUser} on the thread that calls the model.
 *
 * <pre>{@code
 * OpenAiChatModel.builder().listeners(new AssayListener(assay, "greeting"))
 * }</pre>
 */
public final class AssayListener implements ChatModelListener, EmbeddingModelListener {
    private final AssayClient assay;
    private final String experiment;
    private final CallOptions options;

    /**
     * Creates a listener.
     *
     * @param assay the client
     * @param experiment the experiment's name or id
     */
    public AssayListener(AssayClient assay, String experiment) {
        this(assay, experiment, CallOptions.create());
    }

    /**
     * Creates a listener.
     *
     * @param assay the client
     * @param experiment the experiment's name or id
     * @param options the calls' user, and the metadata of their events
     */
    public AssayListener(AssayClient assay, String experiment, CallOptions options) {
        this.assay = assay;
        this.experiment = experiment;
        this.options = options;
    }

    @Override
    public void onRequest(ChatModelRequestContext context) {
        context.attributes().put(this, assay.startModelCall(experiment, options));
    }

    @Override
    public void onResponse(ChatModelResponseContext context) {
        callOf(context.attributes())
                .finish(Facts.ofWhole(context.chatRequest(), context.modelProvider(), context.chatResponse()));
    }

    @Override
    public void onError(ChatModelErrorContext context) {
        ModelCallFacts.Builder facts = Facts.of(context.chatRequest(), context.modelProvider());
        callOf(context.attributes()).fail(context.error(), facts.build());
    }

    @Override
    public void onRequest(EmbeddingModelRequestContext context) {
        context.attributes().put(this, assay.startModelCall(experiment, options));
    }

    @Override
    public void onResponse(EmbeddingModelResponseContext context) {
        ModelCallFacts.Builder facts = Facts.of(context.textSegments(), context.modelProvider());
        Facts.add(
                facts, context.embeddingModel().modelName(), context.response().tokenUsage());
        callOf(context.attributes()).finish(facts.outputTokens(0).build());
    }

    @Override
    public void onError(EmbeddingModelErrorContext context) {
        ModelCallFacts.Builder facts = Facts.of(context.textSegments(), context.modelProvider());
        callOf(context.attributes()).fail(context.error(), facts.build());
    }

    private ModelCall callOf(Map<Object, Object> attributes) {
        return (ModelCall) attributes.get(this);
    }
}
