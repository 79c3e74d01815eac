package dev.assay.langchain4j;

import dev.assay.ModelCallFacts;
import dev.assay.frameworks.CallText;
import dev.assay.frameworks.Sampling;
import dev.assay.frameworks.Usage;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.ModelProvider;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.TokenUsage;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads LangChain4j's requests and responses. */
final class Facts {
    private static final Map<String, String> PROVIDERS = Map.of(
            "OPEN_AI", "openai",
            "AZURE_OPEN_AI", "azure",
            "AMAZON_BEDROCK", "bedrock",
            "GOOGLE_AI_GEMINI", "google",
            "GOOGLE_GENAI", "google",
            "GOOGLE_VERTEX_AI_GEMINI", "vertex",
            "GOOGLE_VERTEX_AI_ANTHROPIC", "vertex",
            "MISTRAL_AI", "mistral");

    private Facts() {}

    static ModelCallFacts ofWhole(ChatRequest request, ModelProvider provider, ChatResponse response) {
        ModelCallFacts.Builder facts = of(request, provider);
        add(facts, response.modelName(), response.tokenUsage());
        if (provider == ModelProvider.ANTHROPIC) Usage.addThinking(facts, response.metadata());
        if (response.finishReason() != null) {
            facts.finishReason(response.finishReason().name().toLowerCase(Locale.ROOT));
        }
        return facts.response(textOf(response.aiMessage())).build();
    }

    static ModelCallFacts.Builder of(ChatRequest request, ModelProvider provider) {
        CallText prompt = new CallText();
        for (ChatMessage message : request.messages()) {
            if (message instanceof SystemMessage system) prompt.message("system", system.text());
            else if (message instanceof UserMessage user) prompt.message("user", textOf(user));
            else if (message instanceof AiMessage ai) prompt.message("assistant", textOf(ai));
            else if (message instanceof ToolExecutionResultMessage tool) prompt.message("tool", tool.text());
        }
        ModelCallFacts.Builder facts = ModelCallFacts.builder()
                .provider(nameOf(provider))
                .requestedModel(request.modelName())
                .prompt(prompt.toString());
        Sampling.add(facts, request.parameters());
        return facts;
    }

    static ModelCallFacts.Builder of(List<TextSegment> segments, ModelProvider provider) {
        String prompt = segments.stream().map(TextSegment::text).collect(Collectors.joining("\n\n"));
        return ModelCallFacts.builder().provider(nameOf(provider)).prompt(prompt);
    }

    static void add(ModelCallFacts.Builder facts, String model, TokenUsage usage) {
        facts.model(model);
        if (usage != null) Usage.add(facts, usage.inputTokenCount(), usage.outputTokenCount(), usage);
    }

    private static String nameOf(ModelProvider provider) {
        if (provider == null || provider == ModelProvider.OTHER) return null;
        return PROVIDERS.getOrDefault(provider.name(), provider.name().toLowerCase(Locale.ROOT));
    }

    private static String textOf(UserMessage message) {
        return message.contents().stream().map(Facts::textOf).collect(Collectors.joining("\n"));
    }

    private static String textOf(Content content) {
        if (content instanceof TextContent text) return text.text();
        return "[" + content.type().name().toLowerCase(Locale.ROOT) + "]";
    }

    private static String textOf(AiMessage message) {
        String text = message.text();
        for (ToolExecutionRequest tool : message.toolExecutionRequests()) {
            text = CallText.withToolCall(text, tool.name(), tool.arguments());
        }
        return text;
    }
}
