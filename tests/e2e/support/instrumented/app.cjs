// An application on OpenFeature and OpenTelemetry that knows nothing of Assay: it evaluates a flag of its own and asks a model.
const { NodeSDK } = require("@opentelemetry/sdk-node");
const { OpenAIInstrumentation } = require("@opentelemetry/instrumentation-openai");
const { trace } = require("@opentelemetry/api");

const sdk = new NodeSDK({ instrumentations: [new OpenAIInstrumentation()] });
sdk.start();

const { InMemoryProvider, OpenFeature } = require("@openfeature/server-sdk");
const { SpanEventHook } = require("@openfeature/open-telemetry-hooks");
const { OpenAI } = require("openai");

const flags = {
  "answer-tone": {
    disabled: false,
    variants: { control: "Answer.", treatment: "Answer kindly." },
    defaultVariant: "control",
    contextEvaluator: () => "treatment",
  },
};

async function answer(user) {
  const prompt = await OpenFeature.getClient().getStringValue("answer-tone", "", { targetingKey: user });
  const messages = [
    { role: "system", content: prompt },
    { role: "user", content: "What is a share?" },
  ];
  await new OpenAI({ apiKey: "k" }).chat.completions.create({ model: "gpt-5-mini", messages });
}

async function main() {
  await OpenFeature.setProviderAndWait(new InMemoryProvider(flags));
  OpenFeature.addHooks(new SpanEventHook());
  await trace.getTracer("app").startActiveSpan("request", async (span) => {
    await answer("ann");
    span.end();
  });
  await sdk.shutdown();
}

void main();
