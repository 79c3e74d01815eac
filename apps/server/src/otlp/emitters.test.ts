import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RawEvent, settleTrace, type TraceFact } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { readFacts } from "./accept-traces.ts";
import { decodeBody } from "./read-request.ts";

/** What real emitters sent while a provider kept a ledger: see `recorded/README.md`. */
const FOLDER = join(import.meta.dirname, "recorded");
interface Case {
  readonly ledger: readonly Readonly<Record<string, number>>[];
  readonly traces: unknown;
  readonly logs?: unknown;
}
const TOKENS = ["input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens"] as const;
const ANSWER = "A share of all the users of it.";

/** The events of a case, and an evaluation for those whose exporter does not send the application's own spans. */
async function rowsOf({ traces, logs }: Case): Promise<readonly RawEvent[]> {
  const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value));
  const batches = [decodeBody(bodyOf(traces), "traces", "json")];
  if (logs !== undefined) batches.push(decodeBody(bodyOf(logs), "logs", "json"));
  const facts = new Map<string, TraceFact[]>();
  for (const batch of batches)
    for (const [traceId, own] of await readFacts(batch))
      facts.set(traceId, [...(facts.get(traceId) ?? []), ...own]);
  const evaluation = {
    kind: "evaluation",
    spanId: null,
    flag: "f",
    variant: "v",
    userId: "ann",
    at: 0,
    isLogged: false,
  } as const;
  return [...facts].flatMap(
    ([traceId, own]) =>
      settleTrace({ traceId, facts: [...own, evaluation] }, () => ({
        id: "experiment",
        unit: "user",
      })).rows,
  );
}

/** What an emitter loses, by case: tokens that it does not report, or the whole call. Nothing else may be missing, and nothing wrong. */
const USAGE = ["input_tokens", "output_tokens"];
const PARTS = ["cached_input_tokens", "reasoning_tokens"];
const LOST: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "java-openai": { "stream-without-usage": USAGE, details: PARTS },
  "node-ai-otel": { details: ["reasoning_tokens"] },
  "node-openinference": { stream: USAGE, "stream-without-usage": USAGE, error: ["call"] },
  "node-otel-openai": { "stream-without-usage": USAGE, details: PARTS },
  "node-traceloop": { stream: USAGE, "stream-without-usage": USAGE, error: ["call"], details: PARTS },
  "node-langfuse": { "stream-without-usage": USAGE },
  "py-langfuse": { "stream-without-usage": USAGE },
  "py-openinference": { "stream-without-usage": USAGE },
  "py-openinference-langchain": { "stream-without-usage": USAGE },
  "py-pydantic-ai": { details: ["reasoning_tokens"], error: ["prompt"] },
  "py-litellm": { details: PARTS },
  "py-openai-agents": { "stream-without-usage": USAGE, details: PARTS },
  "py-openai-agents-responses": { error: ["model", "prompt"] },
  "py-otel-v2": { "stream-without-usage": USAGE, details: PARTS },
  "py-traceloop": { "stream-without-usage": USAGE },
};
/** An emitter that counts the tokens of such streams itself, by a tokenizer of its own, and does not say so. */
const ESTIMATED: Readonly<Record<string, string>> = { "py-litellm": "stream-without-usage" };
/** Emitters that exported no texts. */
const WITHOUT_TEXTS = ["node-otel-openai"];
/** Emitters of agents, each of whose cases is one run. */
const WITH_AGENTS = ["node-ai-otel", "py-openai-agents", "py-openai-agents-responses"];
/** An emitter that exports its own empty result as the answer of a failed call. */
const WITH_EMPTY_RESULTS = ["py-openinference-langchain"];

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith(".json")))("%s", (file) => {
  const emitter = file.replace(".json", "");
  const cases = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Readonly<Record<string, Case>>;

  test.each(Object.entries(cases))("%s: each count is that of the ledger, or missing", async (kind, one) => {
    const lost = LOST[emitter]?.[kind] ?? [];
    const rows = await rowsOf(one);
    const calls = rows.filter(({ type }) => type === "model_call");
    const ends = rows.filter(({ type }) => type === "run_end");
    expect(ends.map(({ run_id, completed }) => [run_id, completed])).toEqual(
      WITH_AGENTS.includes(emitter) ? [[calls[0]?.run_id, kind !== "error"]] : [],
    );
    expect(calls).toHaveLength(lost.includes("call") ? 0 : 1);
    for (const call of calls) {
      const [bill = {}] = one.ledger;
      const missing = TOKENS.filter((name) => bill[name] !== undefined && call[name] === undefined);
      expect(missing).toEqual(TOKENS.filter((name) => lost.includes(name)));
      for (const name of TOKENS)
        if (call[name] !== undefined && ESTIMATED[emitter] !== kind) expect(call[name]).toBe(bill[name] ?? 0);
      expect(call).toMatchObject({ error: kind === "error", user_id: "ann" });
      expect(call.requested_model ?? call.model).toBe(lost.includes("model") ? undefined : "gpt-5-mini");
      if (WITHOUT_TEXTS.includes(emitter)) continue;
      if (lost.includes("prompt")) expect(call.prompt).toBeUndefined();
      else expect(call.prompt).toContain("What is a share?");
      if (kind === "error" && WITH_EMPTY_RESULTS.includes(emitter)) {
        expect(call.response).toContain('"text":""');
        continue;
      }
      if (kind === "tools") expect(call.response).toContain("lookup");
      else expect(call.response).toBe(kind === "error" ? undefined : ANSWER);
    }
  });
});
