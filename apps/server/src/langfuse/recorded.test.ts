import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

/** What Langfuse's SDKs sent while a provider kept a ledger: see `recorded/README.md`. */
const FOLDER = join(import.meta.dirname, "recorded");
interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly status: number;
}
interface Case {
  readonly user: string;
  readonly ledger: readonly Readonly<Record<string, number>>[];
  readonly requests: readonly Request[];
}
const CASES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .flatMap((file) => {
    const cases = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Readonly<Record<string, Case>>;
    return Object.entries(cases).map(([kind, one]) => ({ sdk: file.replace(".json", ""), kind, ...one }));
  });
const TOKENS = ["input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens"] as const;
const ANSWER = "A share of all the users of it.";

const instants = CASES.map(({ requests }) =>
  Date.parse(/"timestamp":"([^"]+)"/.exec(JSON.stringify(requests))?.[1] ?? ""),
);
let now = Math.min(...instants) - 60_000;
let api: TestService;
let authorization: string;

async function send({ method, path, headers, body }: Request): Promise<number> {
  const { status } = await fetch(api.service.url + path, {
    method,
    headers: { ...headers, authorization, "content-type": "application/json" },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  return status;
}

interface StoredRow {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function eventsOf(user: string): Promise<readonly StoredRow[]> {
  const response = await fetch(`${api.service.url}/v1/users/${user}/events`, {
    headers: { authorization: `Bearer ${await api.token()}` },
  });
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as StoredRow);
}

beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  authorization = `Basic ${Buffer.from(`assay:${await api.newKey("secret")}`).toString("base64")}`;
  await api.call("POST", "/v1/experiments", { body: experimentBody("greeting") });
  now = Math.max(...instants) + 60_000;
  // Backwards, and then once more as they were sent.
  for (const { requests } of CASES)
    for (const request of [...requests.toReversed(), ...requests])
      expect([request.path, await send(request)]).toEqual([request.path, request.status]);
  now += 60_000;
});
afterAll(() => api.stop());

describe.each(CASES)("$sdk, $kind", ({ kind, user, ledger }) => {
  test("is an exposure, a call with the tokens of the ledger, and an outcome", async () => {
    await expect.poll(async () => (await eventsOf(user)).length).toBe(3);
    const byType = Object.fromEntries((await eventsOf(user)).map((event) => [event.type, event]));
    const call = byType.model_call;
    const [bill = {}] = ledger;
    expect(byType.exposure).toMatchObject({ variant: "treatment", user_id: user, source: "otlp" });
    expect(byType.business_event).toMatchObject({
      ...{ business_metric: "helpful", value: 0.5, variant: "treatment" },
      metadata: { explanation: "so so" },
    });
    expect(call).toMatchObject({ variant: "treatment", model: "gpt-5-mini", error: kind === "error" });
    // Parts of tokens that nobody counted may be 0, but nothing else.
    for (const name of TOKENS) expect([name, call?.[name] ?? 0]).toEqual([name, bill[name] ?? 0]);
    if (kind === "error") expect([call?.input_tokens, call?.output_tokens]).toEqual([null, null]);
    expect(call?.prompt).toContain("What is a share?");
    expect(call?.response).toBe(kind === "error" ? null : ANSWER);
    expect(call?.latency_ms).toBeGreaterThan(0);
    if (kind === "stream") expect(call?.time_to_first_token_ms).toBeGreaterThan(0);
    // Nothing happened before the exposure, so everything counts.
    for (const event of [call, byType.business_event])
      expect(Date.parse(String(event?.occurred_at))).toBeGreaterThanOrEqual(
        Date.parse(String(byType.exposure?.occurred_at)),
      );
  });
});

test("each SDK of each generation was recorded", () =>
  expect(CASES.map(({ sdk, kind }) => `${sdk} ${kind}`)).toHaveLength(20));
