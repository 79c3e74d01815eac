import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agent } from "../src/agent.ts";
import { callbackHandler } from "../src/langchain.ts";
import { createTestClient, type TestClient } from "../src/testing.ts";
import { BillingProvider } from "../test-support/billing-provider.ts";
import { type Graph, type Langchain, loadLangchain } from "../test-support/langchain-packages.ts";
import { ONE_RUN, runFacts } from "../test-support/run-facts.ts";

const QUESTION = { messages: [{ role: "user", content: "What is a bucket?" }] };
const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

let langchain: Langchain;
let provider: BillingProvider;
let client: TestClient;
beforeAll(async () => {
  langchain = await loadLangchain();
}, 240_000);
beforeEach(async () => {
  provider = await BillingProvider.start();
  provider.reset({ oneByOne: true });
  client = createTestClient({ greeting: "short" });
});
afterEach(() => provider.stop());

class Broken extends Error {
  override readonly name = "Broken";
}

/** The agent that answers, once its two tools have. */
function makeGraph(): Graph {
  const { ChatOpenAI, createAgent, createMiddleware, tool, ToolMessage } = langchain;
  const configuration = { baseURL: `${provider.url}/v1` };
  const model = new ChatOpenAI({ apiKey: "k", model: "gpt-4o-mini", maxRetries: 0, configuration });
  const answerErrors = createMiddleware({
    name: "answerErrors",
    wrapToolCall: async (request: { toolCall: { id: string } }, handler: (request: object) => unknown) => {
      try {
        return await handler(request);
      } catch (error) {
        if (!String(error).includes("out of order")) throw error;
        return new ToolMessage({
          content: "out of order",
          tool_call_id: request.toolCall.id,
          status: "error",
        });
      }
    },
  });
  const clock = () => {
    throw new Broken("out of order");
  };
  const described = (name: string) => ({ name, description: `The ${name} in a city.`, schema: CITY });
  const tools = [tool(() => "sunny", described("weather")), tool(clock, described("clock"))];
  return createAgent({ model, tools, middleware: [answerErrors], name: "support" });
}

const config = () => ({ callbacks: [callbackHandler(client, "greeting")] });
const RUNS: Readonly<Record<string, () => Promise<unknown>>> = {
  invoke: () => makeGraph().invoke(QUESTION, config()),
  stream: async () => {
    for await (const _ of await makeGraph().stream(QUESTION, { ...config(), streamMode: "messages" }));
  },
};

describe.each(Object.entries(RUNS))("%s", (_name, run) => {
  test("has the facts that every framework has", async () => {
    await client.withUser("ann", run);
    expect(runFacts(client)).toEqual(ONE_RUN);
    const [works, fails] = client.events.filter(({ type }) => type === "tool_call");
    expect(works).toMatchObject({ tool_arguments: '{"city":"yes"}', tool_result: "sunny", error: false });
    expect(fails).toMatchObject({ error: true });
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
    await expect(client.withUser("ann", run)).rejects.toThrow("out of order");
    expect(runFacts(client)).toMatchObject({ model_calls: 1, model_errors: 1, run_ends: [false] });
  });

  test("without a user records nothing", async () => {
    await run();
    expect(client.events).toEqual([]);
  });
});

test("a chain that is no graph is no run", async () => {
  const { ChatOpenAI } = langchain;
  provider.reset({});
  const configuration = { baseURL: `${provider.url}/v1` };
  const model = new ChatOpenAI({ apiKey: "k", model: "gpt-4o-mini", ...config(), configuration });
  await client.withUser("ann", () =>
    model.withStructuredOutput({ title: "answer", ...CITY }).invoke("Where?"),
  );
  expect(runFacts(client)).toMatchObject({ model_calls: 1, run_ends: [] });
});
