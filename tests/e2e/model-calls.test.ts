import { Client } from "@assay/client";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ScriptedServer } from "../../clients/scenario-server/scripted-server.ts";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { openAccess } from "./support/experiment.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const USERS = Array.from({ length: 480 }, (_, index) => `user-${index}`);
/** gpt-4o-mini: 0.15 USD per million input tokens, 0.60 per million output tokens. */
const COST_USD = (100 * 0.15 + 50 * 0.6) / 1e6;

interface Results {
  readonly results: Readonly<
    Record<string, { readonly n_per_arm: Readonly<Record<string, number>>; readonly control_value: number }>
  >;
}

let service: RunningService;
let provider: ScriptedServer;
beforeAll(async () => {
  service = await startService(temporaryFolder());
  provider = await ScriptedServer.start();
  onCleanUp(() => provider.stop());
});
afterAll(cleanUp);

const metric = (name: string, kind: string, category: string) => ({
  name,
  kind,
  category,
  method_default: "auto",
  metric_version: 1,
  shared_org_wide: false,
});

test("calls through a wrapped OpenAI client become costs and latencies in a result", async () => {
  provider.script("/chat/completions", {
    status: 200,
    body: {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "gpt-4o-mini",
      choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    },
  });
  const access = await openAccess(service);
  const body = {
    name: "answers",
    salt: "s",
    bucket_count: 1000,
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "treatment", weight: 1 },
    ],
    variants: [
      { key: "control", prompt: "Answer." },
      { key: "treatment", prompt: "Answer kindly." },
    ],
    metrics: [metric("cost", "ratio", "cost"), metric("latency", "ratio", "latency")],
  };
  const send = <T>(method: string, path: string, given?: unknown) =>
    expectOk(service.send<T>(method, path, { headers: access.session, body: given }));
  const { id } = await send<{ id: string }>("POST", "/v1/experiments", body);

  const assay = new Client({
    apiKey: access.key["x-api-key"] ?? "",
    baseUrl: service.url,
    experiments: ["answers"],
  });
  expect(await assay.ready()).toBe(true);
  const openai = assay.wrap(new OpenAI({ apiKey: "k", baseURL: provider.url }), "answers");
  const arms: Record<string, number> = {};
  for (const user of USERS) {
    const { variant, prompt } = assay.getPrompt("answers", user, "none");
    arms[variant ?? "none"] = (arms[variant ?? "none"] ?? 0) + 1;
    await assay.withUser(user, () =>
      openai.chat.completions.create({ model: "gpt-4o-mini", messages: [{ role: "user", content: prompt }] }),
    );
  }
  expect(await assay.close()).toBe(true);

  const analyze = () => send<Results>("POST", `/v1/experiments/${id}/analyze`);
  await expect.poll(analyze).toMatchObject({ results: { "cost::treatment": { n_per_arm: arms } } });
  const { results } = await analyze();
  expect(results["cost::treatment"]?.control_value).toBeCloseTo(COST_USD, 12);
  expect(results["latency::treatment"]?.control_value).toBeGreaterThan(0);
  expect(provider.requests.map(({ body: sent }) => JSON.parse(sent).messages[0].content)).toContain(
    "Answer kindly.",
  );
});
