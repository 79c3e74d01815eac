import { createOpenAI } from "@ai-sdk/openai";
import {
  generateText,
  isStepCount,
  jsonSchema,
  streamText,
  ToolLoopAgent,
  tool,
  wrapLanguageModel,
} from "ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agent } from "../src/agent.ts";
import { middleware, telemetry } from "../src/ai-sdk.ts";
import { createTestClient, type TestClient } from "../src/testing.ts";
import { BillingProvider } from "../test-support/billing-provider.ts";
import { ONE_RUN, runFacts } from "../test-support/run-facts.ts";

const prompt = "What is a bucket?";
const inputSchema = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
});

let provider: BillingProvider;
let client: TestClient;
beforeEach(async () => {
  provider = await BillingProvider.start();
  provider.reset({ oneByOne: true });
  client = createTestClient({ greeting: "short" });
});
afterEach(() => provider.stop());

class Broken extends Error {
  override readonly name = "Broken";
}
const clock = async (_input: { city: string }): Promise<string> => {
  throw new Broken("out of order");
};
const tools = {
  weather: tool({ inputSchema, execute: async () => "sunny" }),
  clock: tool({ inputSchema, execute: clock }),
};

/** What a call of the SDK needs to be the agent. */
function settings() {
  const options = { agentName: "support" };
  const openai = createOpenAI({ apiKey: "k", baseURL: `${provider.url}/v1` });
  return {
    model: wrapLanguageModel({
      model: openai.chat("gpt-4o-mini"),
      middleware: middleware(client, "greeting", options),
    }),
    tools,
    stopWhen: isStepCount(5),
    telemetry: { integrations: [telemetry(client, "greeting", options)] },
    maxRetries: 0,
  };
}

const RUNS: Readonly<Record<string, () => Promise<unknown>>> = {
  generateText: () => generateText({ ...settings(), prompt }),
  streamText: async () => {
    for await (const _ of streamText({ ...settings(), prompt, onError: () => {} }).stream);
  },
  ToolLoopAgent: () => new ToolLoopAgent(settings()).generate({ prompt }),
};

describe.each(Object.entries(RUNS))("%s", (name, run) => {
  test("has the facts that every framework has", async () => {
    await client.withUser("ann", run);
    expect(runFacts(client)).toEqual(ONE_RUN);
    expect(new Set(client.events.map(({ user_id }) => user_id))).toEqual(new Set(["ann"]));
    const [works, fails] = client.events.filter(({ type }) => type === "tool_call");
    expect(works).toMatchObject({ tool_arguments: '{"city":"yes"}', tool_result: "sunny", error: false });
    expect(fails).toMatchObject({ tool_arguments: '{"city":"yes"}', error_type: "Broken", error: true });
    expect(Number(works?.latency_ms)).toBeGreaterThanOrEqual(0);
  });

  test("is a part of withRun", async () => {
    await client.withUser("ann", () =>
      client.withRun("r-1", async () => {
        await run();
        agent(client, "greeting").endRun({ completed: false });
      }),
    );
    expect(runFacts(client)).toEqual({ ...ONE_RUN, run_ends: [false] });
    expect(new Set(client.events.map(({ run_id }) => run_id))).toEqual(new Set(["r-1"]));
  });

  test("is not completed when its model fails", async () => {
    provider.reset({ failures: 1, status: 400, oneByOne: true });
    const ended = client.withUser("ann", run);
    if (name === "streamText") await ended;
    else await expect(ended).rejects.toThrow("out of order");
    expect(runFacts(client)).toMatchObject({ model_calls: 1, model_errors: 1, run_ends: [false] });
  });

  test("without a user records nothing", async () => {
    await run();
    expect(client.events).toEqual([]);
  });
});

test("an agent in a tool is a part of the run around it", async () => {
  const inner = () => generateText({ ...settings(), tools: { weather: tools.weather }, prompt });
  const asking = { ask: tool({ inputSchema, execute: async () => (await inner()).text }) };
  await client.withUser("ann", () => generateText({ ...settings(), tools: asking, prompt }));
  expect(runFacts(client)).toMatchObject({ model_calls: 4, run_ends: [true], runs: 1 });
});

test("a call without tools is no run", async () => {
  const { tools: _, ...plain } = settings();
  await client.withUser("ann", () => generateText({ ...plain, prompt }));
  expect(runFacts(client)).toMatchObject({ model_calls: 1, run_ends: [] });
  expect(client.events.map(({ run_id }) => run_id)).toEqual([undefined, undefined]);
});
