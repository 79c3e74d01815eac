import { expect, test } from "vitest";
import { readVectors } from "../test-support/read-vectors.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { findAssignmentIn } from "./find-assignment-in.ts";
import { TestClient } from "./testing.ts";

interface Step {
  readonly within: readonly (readonly ["user" | "conversation" | "run", string])[];
  readonly do: "assign" | "call" | "track";
  readonly experiment: string;
  readonly user_id?: string;
  readonly unit_id?: string;
}
interface UnitsCase {
  readonly name: string;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly answers: readonly (string | null)[];
  readonly events: readonly Readonly<Record<string, string>>[];
  readonly warned: readonly string[];
}
interface Recorded {
  readonly metadata?: { readonly conversation_id?: string };
  readonly [field: string]: unknown;
}

const { config, cases } = readVectors<{ config: unknown; cases: readonly UnitsCase[] }>("units");
const FIELDS = ["type", "user_id", "unit_id", "run_id", "variant"];

function subjectOf({ user_id: user = "", unit_id: unit }: Step) {
  return unit === undefined ? user : { user, unit };
}

function take(client: TestClient, step: Step): string | null {
  const { experiment, user_id, unit_id } = step;
  if (step.do === "assign") return client.assign(experiment, subjectOf(step));
  if (step.do === "track") {
    const fields = { experiment_id: experiment, user_id: String(user_id), business_metric: "m" };
    client.track("business_event", unit_id === undefined ? fields : { ...fields, unit_id });
  } else if (user_id === undefined) {
    const provider = { chat: { completions: { create: () => "Hi" } } };
    client.wrap(provider, experiment).chat.completions.create();
  } else client.interceptModelCall(experiment, subjectOf(step), () => "Hi");
  return null;
}

function takeWithin(client: TestClient, step: Step, within = step.within): string | null {
  const [outer, ...inner] = within;
  if (outer === undefined) return take(client, step);
  const [kind, id] = outer;
  const work = () => takeWithin(client, step, inner);
  if (kind === "user") return client.withUser(id, work);
  return kind === "run" ? client.withRun(id, work) : client.withConversation(id, work);
}

test.each(cases)("units.json: $name", ({ overrides, steps, answers, events, warned }) => {
  const log = new RecordedLog();
  const client = new TestClient({ offline: true, bootstrap: config, log, ...(overrides && { overrides }) });
  expect(steps.map((step) => takeWithin(client, step))).toEqual(answers);
  const rows = (client.events as readonly Recorded[]).map((row) => {
    const fields = [
      ...FIELDS.map((name) => [name, row[name]]),
      ["conversation_id", row.metadata?.conversation_id],
    ];
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  });
  expect(rows).toEqual(events);
  const advice = log.lines.filter((line) => line.includes("{user, unit}"));
  expect(advice).toEqual(
    warned.map((name) => expect.stringMatching(`^warn \\[assay\\] ${name} assigns by \\w+: pass `)),
  );
});

test.each(
  cases.filter(({ steps: [step], overrides }) => step?.do === "assign" && !step.within.length && !overrides),
)("units.json, in a config without a client: $name", ({ steps, answers }) => {
  const found = steps.map((step) => findAssignmentIn(config, step.experiment, subjectOf(step)));
  expect(found.map((assignment) => assignment?.variant.key ?? null)).toEqual(answers);
});

test("getPrompt and getVariables take a subject, and answer defaults without its unit", () => {
  const client = new TestClient({ offline: true, bootstrap: config, log: new RecordedLog() });
  const subject = { user: "ann", unit: "c-1" };
  expect(client.getPrompt("by-conversation", subject, "D").prompt).toBe("T");
  expect(client.getVariables("by-conversation", subject, { t: 0 })).toEqual({ t: 1 });
  expect(client.getPrompt("by-conversation", "ann", "D")).toEqual({
    ...{ variant: null, prompt: "D", fallback: true },
  });
  expect(client.getVariables("by-conversation", "ann", { t: 0 })).toEqual({ t: 0 });
  expect(client.findAssignment("by-conversation", subject)).toMatchObject({ unit: "c-1" });
});

test.each<unknown>([null, undefined, 5, {}, [], { unit: "c-1" }, { user: 5, unit: "c-1" }])(
  "%j is no subject",
  (subject) => {
    const log = new RecordedLog();
    const client = new TestClient({ offline: true, bootstrap: config, log });
    expect(client.assign("by-conversation", subject as string)).toBeNull();
    expect(client.interceptModelCall("by-conversation", subject as string, () => "Hi")).toBe("Hi");
    expect(client.events).toEqual([]);
  },
);

test.each<unknown>([5, null, {}, undefined])("%j is no unit, no conversation and no run", (id) => {
  const client = new TestClient({ offline: true, bootstrap: config, log: new RecordedLog() });
  expect(client.assign("by-run", { user: "ann", unit: id as string })).toBeNull();
  expect(client.withConversation(id as string, () => client.assign("by-conversation", "ann"))).toBeNull();
  expect(client.withRun(id as string, () => client.assign("by-run", "ann"))).toBeNull();
  expect(client.events).toEqual([]);
});

test("wrap's user may be a subject; what is said the second time counts", () => {
  const client = new TestClient({ offline: true, bootstrap: config });
  const provider = { chat: { completions: { create: () => "Hi" } } };
  const first = client.wrap(provider, "by-conversation", { user: { user: "ann", unit: "c-1" } });
  first.chat.completions.create();
  client.wrap(first, "by-conversation", { user: { user: "ben", unit: "c-2" } }).chat.completions.create();
  const calls = client.events.filter(({ type }) => type === "model_call");
  expect(calls).toMatchObject([
    { user_id: "ann", unit_id: "c-1", variant: "treatment" },
    { user_id: "ben", unit_id: "c-2", variant: "treatment" },
  ]);
});

test("conversation and run go through awaits", async () => {
  const client = new TestClient({ offline: true, bootstrap: config });
  const variant = await client.withConversation("c-1", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return await client.withRun("r-1", async () => {
      await null;
      return [client.assign("by-conversation", "ann"), client.assign("by-run", "ann")];
    });
  });
  expect(variant).toEqual(["treatment", "treatment"]);
  expect(client.assign("by-run", "ann")).toBeNull();
});
