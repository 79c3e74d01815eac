import { expect, test } from "vitest";
import { readVectors } from "../test-support/read-vectors.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { agent } from "./agent.ts";
import { TestClient } from "./testing.ts";

interface Step {
  readonly do: "call" | "record" | "end";
  readonly within: readonly (readonly ["user" | "conversation" | "run", string])[];
  readonly experiment: string;
  readonly agent_name?: string;
  readonly user_id?: string;
  readonly unit_id?: string;
  readonly tool: string;
  readonly arguments?: unknown;
  readonly returns?: unknown;
  readonly throws?: string;
  readonly inside?: Pick<Step, "tool" | "returns">;
  readonly told?: object;
  readonly completed?: boolean;
  readonly run_id?: string;
}
interface RunsCase {
  readonly name: string;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly mask?: keyof typeof MASKS;
  readonly steps: readonly Step[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly warned: readonly string[];
}

const { config, cases } = readVectors<{ config: unknown; cases: readonly RunsCase[] }>("runs");
const MASKS = {
  names: (text: string, part: string) => `${part}:${text}`,
  withholds: () => null,
  throws: (): never => {
    throw new Error("broken");
  },
};

/** Resolves the marker for a long text. */
function unmark(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unmark);
  if ("$" in value && "text" in value && "times" in value)
    return String(value.text).repeat(Number(value.times)) + ("then" in value ? value.then : "");
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, unmark(entry)]));
}

function take(client: TestClient, step: Step): unknown {
  const { experiment, agent_name: agentName, user_id: user, unit_id: unit } = step;
  const made = agent(client, experiment, {
    ...(agentName && { agentName }),
    ...(user && { user: unit === undefined ? user : { user, unit } }),
  });
  if (step.do === "record") return made.trackToolCall(step.tool, step.told);
  if (step.do === "end")
    return made.endRun({
      ...(step.completed !== undefined && { completed: step.completed }),
      ...(step.run_id !== undefined && { run: step.run_id }),
    });
  const failure = Object.assign(new Error("it failed"), { name: step.throws });
  const call = () => {
    if (step.inside) made.callTool(step.inside.tool, () => step.inside?.returns);
    if (step.throws) throw failure;
    return step.returns;
  };
  const run = () => made.callTool(step.tool, call, step.arguments);
  return step.throws ? expect(run).toThrow(failure) : expect(run()).toBe(step.returns);
}

function takeWithin(client: TestClient, step: Step, within = step.within): unknown {
  const [outer, ...inner] = within;
  if (outer === undefined) return take(client, step);
  const [kind, id] = outer;
  const work = () => takeWithin(client, step, inner);
  if (kind === "user") return client.withUser(id, work);
  return kind === "run" ? client.withRun(id, work) : client.withConversation(id, work);
}

test.each(cases)("runs.json: $name", ({ overrides, mask, steps, events, warned }) => {
  const log = new RecordedLog();
  const more = { ...(overrides && { overrides }), ...(mask && { mask: MASKS[mask] }) };
  const client = new TestClient({ offline: true, bootstrap: config, log, ...more });
  for (const step of unmark(steps) as readonly Step[]) takeWithin(client, step);
  const rows = client.events.map(({ event_id, timestamp, ...row }) => ({
    ...row,
    ...(events.some(({ latency_ms }) => latency_ms === "measured") &&
      Number(row.latency_ms) >= 0 && { latency_ms: "measured" }),
  }));
  expect(rows).toEqual(unmark(events));
  expect(log.lines).toEqual(warned.map((part) => expect.stringContaining(part)));
});
