package dev.assay.springai;

import dev.assay.AssayClient;
import dev.assay.CallOptions;
import dev.assay.ModelCall;
import dev.assay.ModelCallFacts;
import dev.assay.frameworks.Usage;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;

/**
 * An {@code EmbeddingModel} of Spring AI that records each call of another model: an exposure and a {@code model_call}.
 * The user is that of {@link AssayClient#withUser} on the thread that calls.
 *
 * <pre>{@code
 * SimpleVectorStore.builder(new AssayEmbeddingModel(model, assay, "greeting"))
 * }</pre>
 */
public final class AssayEmbeddingModel implements EmbeddingModel {
    private final EmbeddingModel model;
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
    public AssayEmbeddingModel(EmbeddingModel model, AssayClient assay, String experiment) {
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
    public AssayEmbeddingModel(EmbeddingModel model, AssayClient assay, String experiment, CallOptions options) {
        this.model = model;
        this.assay = assay;
        this.experiment = experiment;
        this.options = options;
    }

    @Override
    public EmbeddingResponse call(EmbeddingRequest request) {
        ModelCall call = assay.startModelCall(experiment, options);
        ModelCallFacts.Builder facts = ModelCallFacts.builder();
        add(facts, request);
        try {
            EmbeddingResponse response = call.run(() -> model.call(request));
            add(facts, response);
            call.finish(facts.build());
            return response;
        } catch (Throwable thrown) {
            call.fail(thrown, facts.build());
            throw thrown;
        }
    }

    @Override
    public float[] embed(Document document) {
        String content;
        try {
            content = model.getEmbeddingContent(document);
        } catch (NoSuchMethodError e) {
            return embedAsItDoes(document);
        }
        // The other model would call itself.
        return embed(content);
    }

    /** In Spring AI 1, only the model knows what it embeds of a document: text and tokens are not known here. */
    private float[] embedAsItDoes(Document document) {
        ModelCall call = assay.startModelCall(experiment, options);
        ModelCallFacts facts = ModelCallFacts.builder()
                .provider(Providers.nameOf(model))
                .outputTokens(0)
                .build();
        try {
            float[] vector = call.run(() -> model.embed(document));
            call.finish(facts);
            return vector;
        } catch (Throwable thrown) {
            call.fail(thrown, facts);
            throw thrown;
        }
    }

    @Override
    public String getEmbeddingContent(Document document) {
        return model.getEmbeddingContent(document);
    }

    @Override
    public int dimensions() {
        return model.dimensions();
    }

    /** Never throws into the call. */
    private void add(ModelCallFacts.Builder facts, EmbeddingRequest request) {
        try {
            EmbeddingOptions chosen = request.getOptions();
            facts.provider(Providers.nameOf(model))
                    .requestedModel(chosen == null ? null : chosen.getModel())
                    .prompt(String.join("\n\n", request.getInstructions()));
        } catch (RuntimeException | LinkageError e) {
            // The call is recorded without its prompt.
        }
    }

    private static void add(ModelCallFacts.Builder facts, EmbeddingResponse response) {
        try {
            facts.model(response.getMetadata().getModel());
            var usage = response.getMetadata().getUsage();
            Usage.add(facts, usage.getPromptTokens(), null, usage.getNativeUsage());
            facts.outputTokens(0);
        } catch (RuntimeException | LinkageError e) {
            // A part of the answer has an unexpected shape; the rest is recorded.
        }
    }
}
