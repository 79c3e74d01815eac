package dev.assay.langchain4j;

import dev.assay.AssayClient;
import dev.assay.CallOptions;
import dev.assay.ModelCall;
import dev.langchain4j.model.ModelProvider;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.ChatRequestOptions;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.PartialThinking;
import dev.langchain4j.model.chat.response.PartialThinkingContext;
import dev.langchain4j.model.chat.response.PartialToolCall;
import dev.langchain4j.model.chat.response.PartialToolCallContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.util.Set;

/**
 * A streaming model of LangChain4j that records each call of another model. Unlike a listener, it also sees the
 * first token, and streams that the application cancels.
 */
public final class AssayStreamingChatModel implements StreamingChatModel {
    private final StreamingChatModel model;
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
    public AssayStreamingChatModel(StreamingChatModel model, AssayClient assay, String experiment) {
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
    public AssayStreamingChatModel(
            StreamingChatModel model, AssayClient assay, String experiment, CallOptions options) {
        this.model = model;
        this.assay = assay;
        this.experiment = experiment;
        this.options = options;
    }

    @Override
    public void chat(ChatRequest request, ChatRequestOptions requestOptions, StreamingChatResponseHandler handler) {
        ModelCall call = assay.startModelCall(experiment, options);
        ChatRequest merged = withDefaults(request);
        try {
            call.run(() -> {
                model.chat(request, requestOptions, new Watched(call, merged, handler));
                return null;
            });
        } catch (Throwable thrown) {
            call.fail(thrown, Facts.of(merged, model.provider()).build());
            throw thrown;
        }
    }

    /** The model merges them itself, and shows nobody the result. */
    private ChatRequest withDefaults(ChatRequest request) {
        try {
            ChatRequestParameters defaults = model.defaultRequestParameters();
            return ChatRequest.builder()
                    .messages(request.messages())
                    .parameters(defaults.overrideWith(request.parameters()))
                    .build();
        } catch (RuntimeException e) {
            return request; // The call is recorded without the defaults.
        }
    }

    @Override
    public ChatRequestParameters defaultRequestParameters() {
        return model.defaultRequestParameters();
    }

    @Override
    public ModelProvider provider() {
        return model.provider();
    }

    @Override
    public Set<Capability> supportedCapabilities() {
        return model.supportedCapabilities();
    }

    /** Delegates everything. */
    private final class Watched implements StreamingChatResponseHandler {
        private final ModelCall call;
        private final ChatRequest request;
        private final StreamingChatResponseHandler handler;

        Watched(ModelCall call, ChatRequest request, StreamingChatResponseHandler handler) {
            this.call = call;
            this.request = request;
            this.handler = handler;
        }

        /** Its cancellation ends the call. */
        private StreamingHandle watch(StreamingHandle handle) {
            return new StreamingHandle() {
                @Override
                public void cancel() {
                    call.abort(Facts.of(request, model.provider()).build());
                    handle.cancel();
                }

                @Override
                public boolean isCancelled() {
                    return handle.isCancelled();
                }
            };
        }

        @Override
        public void onPartialResponse(String text) {
            call.firstToken();
            handler.onPartialResponse(text);
        }

        @Override
        public void onPartialResponse(PartialResponse partial, PartialResponseContext context) {
            call.firstToken();
            handler.onPartialResponse(partial, new PartialResponseContext(watch(context.streamingHandle())));
        }

        @Override
        public void onPartialThinking(PartialThinking partial) {
            handler.onPartialThinking(partial);
        }

        @Override
        public void onPartialThinking(PartialThinking partial, PartialThinkingContext context) {
            handler.onPartialThinking(partial, new PartialThinkingContext(watch(context.streamingHandle())));
        }

        @Override
        public void onPartialToolCall(PartialToolCall partial) {
            call.firstToken();
            handler.onPartialToolCall(partial);
        }

        @Override
        public void onPartialToolCall(PartialToolCall partial, PartialToolCallContext context) {
            call.firstToken();
            handler.onPartialToolCall(partial, new PartialToolCallContext(watch(context.streamingHandle())));
        }

        @Override
        public void onCompleteToolCall(CompleteToolCall complete) {
            handler.onCompleteToolCall(complete);
        }

        @Override
        public void onUnmappedRawEvent(Object event) {
            handler.onUnmappedRawEvent(event);
        }

        @Override
        public void onCompleteResponse(ChatResponse response) {
            call.finish(Facts.ofWhole(request, model.provider(), response));
            handler.onCompleteResponse(response);
        }

        @Override
        public void onError(Throwable error) {
            call.fail(error, Facts.of(request, model.provider()).build());
            handler.onError(error);
        }
    }
}
