import { addDays, DAY_MS, dayOf, startOfDay } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const RUNS = 560;
const RUNS_PER_USER = 4;
/** Not yesterday: its last runs are not idle for long enough yet in the first minutes of a day. */
const day = addDays(dayOf(Date.now()), -2);
const MIDNIGHT = startOfDay(day);
const MINUTE_MS = 60_000;

type Event = Readonly<Record<string, unknown>>;
interface Row {
  readonly control_value: number;
  readonly treatment_value: number;
  readonly n_per_arm: Readonly<Record<string, number>>;
}
interface Results {
  readonly results: Readonly<Record<string, Row>>;
  readonly health: readonly { readonly code: string; readonly detail: string }[];
}
interface Health {
  readonly checks: readonly { readonly code: string; readonly arms: unknown; readonly value: number }[];
}

let api: TestService;
let keys: readonly [string, string];
beforeAll(async () => {
  api = await openTestService();
  keys = [await api.newKey("secret"), await api.newKey("publishable")];
});
afterAll(() => api.stop());

/** What happens in a run: some are still open at midnight, some stop without an end, and some do not do their task. */
function runOf(i: number) {
  const arm = Math.floor(i / RUNS_PER_USER) % 2 === 0 ? "control" : "treatment";
  const isOpen = i % 40 === 7;
  const end = isOpen || i % 10 === 3 ? null : i % 4 !== 0;
  const [turns, tools] = [1 + (i % 3), (i % 5) + (arm === "treatment" ? 1 : 0)];
  const startsAt = isOpen ? MIDNIGHT + DAY_MS - 20 * MINUTE_MS : MIDNIGHT + 3 * MINUTE_MS * (i % 400);
  return {
    ...{ i, arm, isOpen, end, turns, tools, startsAt, toolErrors: Math.floor(tools / 2) },
    ...{ steps: turns + tools, cost: turns * 0.01 * (1 + (i % 4)), isOver: !isOpen },
    duration: (turns + tools + (end === null ? -1 : 0)) * 1_000,
  };
}
type Run = ReturnType<typeof runOf>;
const runs = Array.from({ length: RUNS }, (_, i) => runOf(i));

function eventsOf(id: string, unit: "user" | "run"): readonly Event[] {
  return runs.flatMap(({ i, arm, turns, tools, toolErrors, startsAt, end }) => {
    const user = Math.floor(i / RUNS_PER_USER);
    const about = (kind: string, at: number) => ({
      ...{ event_id: `${unit}-${kind}-${i}`, experiment_id: id, user_id: `user-${user}`, run_id: `run-${i}` },
      ...(unit === "run" && { unit_id: `run-${i}` }),
      ...{ variant: arm, timestamp: at },
    });
    const isFirst = unit === "run" || i % RUNS_PER_USER === 0;
    return [
      ...(isFirst ? [{ ...about("exposed", unit === "run" ? startsAt : MIDNIGHT), type: "exposure" }] : []),
      ...Array.from({ length: turns }, (_, turn) => ({
        ...about(`turn${turn}`, startsAt + 1_000 * turn),
        ...{ type: "model_call", cost_usd: 0.01 * (1 + (i % 4)), agent_name: turn % 2 === 0 ? "a" : "b" },
      })),
      ...Array.from({ length: tools }, (_, tool) => ({
        ...about(`tool${tool}`, startsAt + 1_000 * (turns + tool)),
        ...{ type: "tool_call", tool_name: "search", error: tool < toolErrors, tool_result: "none" },
      })),
      ...(end === null
        ? []
        : [{ ...about("end", startsAt + 1_000 * (turns + tools)), type: "run_end", completed: end }]),
    ];
  });
}

const METRICS = [
  metricBody("turns", { source: { event: "run", field: "turns" }, category: "cost" }),
  metricBody("steps", { kind: "ratio", source: { event: "run", field: "steps" }, category: "cost" }),
  metricBody("tool_errors", { kind: "ratio", source: { event: "run", field: "tool_errors" } }),
  metricBody("duration", {
    kind: "ratio",
    source: { event: "run", field: "duration_ms" },
    category: "latency",
  }),
  metricBody("cost_per_task", {
    kind: "ratio",
    source: { event: "run", field: "cost_usd" },
    category: "cost",
  }),
  metricBody("share_done", { kind: "ratio", source: { event: "run", field: "completed" } }),
  metricBody("handoffs", { kind: "ratio", source: { event: "run", field: "handoffs" } }),
];

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Computes the metrics of an arm, run by run. */
function expectedOf(arm: string, unit: "user" | "run") {
  const over = runs.filter((run) => run.arm === arm && run.isOver);
  const perRun = (of: (run: Run) => number) => sum(over.map(of)) / over.length;
  const units = unit === "run" ? over.length : RUNS / RUNS_PER_USER / 2;
  return {
    turns: sum(over.map((run) => run.turns)) / units,
    steps: perRun((run) => run.steps),
    tool_errors: perRun((run) => run.toolErrors),
    duration: perRun((run) => run.duration),
    cost_per_task: sum(over.map((run) => run.cost)) / over.filter((run) => run.end === true).length,
    share_done: perRun((run) => Number(run.end === true)),
    handoffs: perRun((run) => run.turns - 1),
  };
}

/** Three batches by two senders, of which each is sent twice and in another order. */
async function sendAll(events: readonly Event[]): Promise<void> {
  const batches = [0, 1, 2].map((batch) => events.filter((_, at) => at % 3 === batch));
  for (const [at, batch] of [...batches.toReversed(), ...batches].entries()) {
    const rows = at % 2 === 0 ? batch : batch.toReversed();
    for (let from = 0; from < rows.length; from += 1_000) {
      const body = { events: rows.slice(from, from + 1_000) };
      // A batch that comes again comes from the same sender.
      const key = keys[batches.indexOf(batch) === 1 ? 1 : 0];
      const { body: answer } = await api.call("POST", "/v1/events", { key, body });
      expect(answer).toMatchObject({ accepted: body.events.length, rejected: [] });
    }
  }
}

test.each(["run", "user"] as const)(
  "a night of an experiment on a %s counts each run once, and gives what a plain computation gives",
  async (unit) => {
    const body = experimentBody(`agents ${unit}`, { unit, metrics: METRICS });
    const { status, body: made } = await api.call<WireExperiment>("POST", "/v1/experiments", { body });
    expect(status).toBe(201);
    const events = eventsOf(made.id, unit);
    await sendAll(events);
    const night = { body: { day, experiment_id: made.id } };
    await api.call("POST", "/v1/admin/pipeline-runs", night);
    const path = `/v1/experiments/${made.id}`;
    const { results, health } = (await api.call<Results>("GET", `${path}/results?day=${day}`)).body;
    const expected = { control: expectedOf("control", unit), treatment: expectedOf("treatment", unit) };
    expect(
      Object.fromEntries(
        METRICS.map(({ name }) => [
          name,
          [results[`${name}::treatment`]?.control_value, results[`${name}::treatment`]?.treatment_value],
        ]),
      ),
    ).toEqual(
      Object.fromEntries(
        METRICS.map(({ name }) => {
          const of = (arm: "control" | "treatment") =>
            expect.closeTo(expected[arm][name as keyof typeof expected.control], 9);
          return [name, [of("control"), of("treatment")]];
        }),
      ),
    );
    const open = runs.filter(({ isOpen }) => isOpen).length;
    expect(health).toContainEqual(
      expect.objectContaining({
        code: "runs-left-out",
        detail: expect.stringContaining(`${open} of ${RUNS} runs`),
      }),
    );
    const checks = (await api.call<Health>("GET", `${path}/health`)).body.checks;
    // Now, those that were open at midnight have been idle for long enough.
    const idle = (arm: string) => runs.filter((run) => run.arm === arm && run.end === null).length;
    expect(checks.find(({ code }) => code === "runs-without-end")?.arms).toMatchObject({
      control: { count: idle("control"), of: RUNS / 2 },
      treatment: { count: idle("treatment"), of: RUNS / 2 },
    });
    const usage = (await api.call<{ readonly events: { readonly used: number } }>("GET", "/v1/usage")).body;
    const before = unit === "run" ? 0 : eventsOf("", "run").length;
    expect(usage.events.used).toBe(before + events.length);
  },
);

test("a metric of runs that asks for what there is not is refused with what to do", async () => {
  const source = { event: "run", field: "completed" };
  const body = experimentBody("refused", {
    metrics: [
      metricBody("m", { source, kind: "quantile", method_default: "auto", accept_from: ["secret"] }),
      metricBody("n", { source, kind: "binary", method_default: "auto" }),
    ],
  });
  const { status, body: problem } = await api.call<{ errors: readonly { pointer: string }[] }>(
    "POST",
    "/v1/experiments",
    { body },
  );
  expect(status).toBe(400);
  expect(problem.errors.map(({ pointer }) => pointer)).toEqual(["/metrics/0/kind", "/metrics/1/accept_from"]);
});
