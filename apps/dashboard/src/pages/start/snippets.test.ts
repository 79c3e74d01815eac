import { execFileSync } from "node:child_process";
import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import type { Experiment } from "../../api/types.ts";
import {
  assistantPrompt,
  callSnippets,
  flagSnippet,
  KEY_PLACEHOLDERS,
  LANGUAGES,
  outcomeSnippets,
  type SnippetFacts,
  snippetFacts,
} from "./snippets.ts";
import { starterExperiment } from "./starter-experiment.ts";

const HOSTILE = 'it\'s "quoted" $(exit 3) `exit 4` \\ é 🙂';

const facts: SnippetFacts = {
  baseUrl: "https://assay.example.com",
  key: "svc_pk_abc",
  experiment: HOSTILE,
  unit: "user",
  defaultPrompt: "Answer.\nKindly.",
  outcome: { name: HOSTILE, hasValue: true },
};

/** What a shell would send: the bodies that the code hands to curl. */
function bodiesOf(code: string): readonly unknown[] {
  const spy = `curl() { while [ "$1" != -d ]; do shift; done; printf '%s\\0' "$2"; }`;
  const written = execFileSync("bash", ["-euc", `${spy}\n${code}`], { encoding: "utf8" });
  return written
    .split("\0")
    .filter((body) => body !== "")
    .map((body): unknown => JSON.parse(body));
}

test("a name with quotes in it reaches curl's bodies as it is, and runs nothing", () => {
  const common = { experiment_id: HOSTILE, user_id: "user-1" };
  expect(bodiesOf(callSnippets.curl(facts))).toEqual([
    common,
    [
      expect.objectContaining({ ...common, type: "exposure" }),
      expect.objectContaining({ ...common, type: "model_call", latency_ms: 812 }),
    ],
  ]);
  expect(bodiesOf(outcomeSnippets.curl(facts))).toEqual([
    [expect.objectContaining({ ...common, type: "business_event", business_metric: HOSTILE, value: 19.9 })],
  ]);
});

test.each(["conversation", "run"] as const)("of a %s, everything names it beside the user", (unit) => {
  const ofUnit: SnippetFacts = { ...facts, unit };
  const named = { user_id: "user-1", unit_id: `${unit}-1` };
  const bodies = [callSnippets, outcomeSnippets]
    .flatMap((snippets) => bodiesOf(snippets.curl(ofUnit)))
    .flat();
  expect(bodies).toHaveLength(4);
  for (const body of bodies) expect(body).toMatchObject(named);
  const words = {
    typescript: unit === "run" ? "withRun" : "withConversation",
    python: `with_${unit}`,
    java: "subject(user, unit)",
  };
  for (const [language, word] of Object.entries(words) as [keyof typeof words, string][]) {
    expect(callSnippets[language](ofUnit)).toContain(word);
    expect(outcomeSnippets[language](ofUnit)).toContain("unit_id");
    expect(callSnippets[language](facts) + outcomeSnippets[language](facts)).not.toContain("unit");
  }
  expect(stripTypeScriptTypes(callSnippets.typescript(ofUnit))).toContain("}));");
});

test("on another system's flag, the events name its variant and no client is asked", () => {
  const common = { experiment_id: HOSTILE, user_id: "user-1" };
  expect(bodiesOf(flagSnippet(facts, HOSTILE))).toEqual([
    [
      expect.objectContaining({ ...common, type: "exposure", variant: HOSTILE }),
      expect.objectContaining({ ...common, type: "model_call" }),
    ],
    [expect.objectContaining({ ...common, type: "business_event", business_metric: HOSTILE })],
  ]);
});

test("the TypeScript code parses with such a name, and names it to the client", () => {
  const code = `${callSnippets.typescript(facts)}${outcomeSnippets.typescript(facts)}`;
  expect(stripTypeScriptTypes(code).split("quoted").length - 1).toBe(5);
});

test.each(LANGUAGES)(
  "the code in $label has the key and the address; without a key it says where it belongs",
  ({ id }) => {
    expect(callSnippets[id](facts)).toContain("svc_pk_abc");
    expect(callSnippets[id](facts)).toContain("https://assay.example.com");
    expect(callSnippets[id]({ ...facts, key: null })).toContain(KEY_PLACEHOLDERS.publishable);
  },
);

test.each(LANGUAGES)("an outcome in $label has a value only where an amount is counted", ({ id }) => {
  expect(outcomeSnippets[id](facts)).toContain("19.9");
  expect(outcomeSnippets[id]({ ...facts, outcome: { name: "thumbs_up", hasValue: false } })).not.toMatch(
    /19\.9|value/,
  );
});

test("the assistant's prompt has the facts, and asks for a key that is not known", () => {
  expect(assistantPrompt(facts)).toContain("svc_pk_abc");
  expect(assistantPrompt({ ...facts, key: null })).toContain("ask me for it");
});

const experimentOf = (change: Partial<Experiment>): Experiment => ({
  ...starterExperiment([]),
  id: "0192a000-0000-7000-8000-000000000000",
  version: 1,
  created_at: "2026-11-01T00:00:00.000Z",
  updated_at: "2026-11-01T00:00:00.000Z",
  holds: [],
  effective_allocation: {},
  is_demo: false,
  coverage: 1,
  description: null,
  decision: null,
  ...change,
});

const metric = (change: object) =>
  ({ ...starterExperiment([]).metrics[0], ...change }) as Experiment["metrics"][number];

test.each([
  {
    name: "the first business metric",
    metrics: [metric({ source: { event: "model_call", field: "error" } }), metric({})],
    outcome: { name: "thumbs_up", hasValue: false },
  },
  {
    name: "the event's name, not the metric's",
    metrics: [
      metric({
        name: "revenue",
        kind: "mean",
        source: { event: "business_event", business_metric: "order" },
      }),
    ],
    outcome: { name: "order", hasValue: true },
  },
  {
    name: "a common outcome when there is none",
    metrics: [],
    outcome: { name: "thumbs_up", hasValue: false },
  },
])("snippetFacts takes $name", ({ metrics, outcome }) =>
  expect(snippetFacts(experimentOf({ metrics }), null, "").outcome).toEqual(outcome),
);

test("snippetFacts defaults to control's prompt, unless that would hide the code", () => {
  const promptOf = (prompt: string | null) =>
    snippetFacts(experimentOf({ variants: [{ key: "control", prompt }, { key: "concise" }] }), null, "")
      .defaultPrompt;
  expect(promptOf("Answer kindly.")).toBe("Answer kindly.");
  expect(promptOf("x".repeat(121))).toBe("Your current prompt.");
  expect(promptOf(null)).toBe("Your current prompt.");
});

test("the starter takes a name that is free", () => {
  expect(starterExperiment([]).name).toBe("first-experiment");
  expect(starterExperiment(["first-experiment", "first-experiment-2"]).name).toBe("first-experiment-3");
});
