import { addDays, type Day, dayOf, endOfDay, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface WireResults {
  readonly experiment_id: string;
  readonly computed_for: string;
  readonly computed_at: string;
  readonly revision: number;
  readonly revisions: readonly number[];
  readonly available_days: readonly string[];
  readonly window: { readonly to: string };
  readonly srm: { readonly status: string };
  readonly results: Readonly<
    Record<string, { readonly p_value_seq: number; readonly n_per_arm: Readonly<Record<string, number>> }>
  >;
}

const USERS = 500;
const ROW = "spent::treatment";
const [first, second, third] = [-4, -3, -2].map((back) => addDays(dayOf(Date.now()), back)) as [
  Day,
  Day,
  Day,
];
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

async function create(name: string): Promise<WireExperiment> {
  const body = experimentBody(name, { metrics: [metricBody("spent", { role: "primary" })] });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

/** New users of a day: everybody spends; treatment more by `lift`, and gets `share` of them. */
async function sendDay(
  { id }: WireExperiment,
  day: Day,
  { lift = 0, share = 0.5, users = USERS, name = "user" } = {},
): Promise<void> {
  const events = Array.from({ length: users }, (_, user) => {
    const isTreated = user % 10 < 10 * share;
    const common = {
      experiment_id: id,
      user_id: `${name}-${day}-${user}`,
      variant: isTreated ? "treatment" : "control",
      timestamp: toInstant(startOfDay(day) + 60_000 * user),
    };
    // Each ten users have one value, so the arms differ by the lift alone.
    const value = 100 + ((Math.floor(user / 10) * 7919) % 50) + (isTreated ? lift : 0);
    const spent = { type: "business_event", business_metric: "spent", value };
    return [
      { ...common, event_id: `${id}-${name}-${day}-${user}-e`, type: "exposure" },
      { ...common, event_id: `${id}-${name}-${day}-${user}-s`, ...spent },
    ];
  }).flat();
  const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(sent.body.accepted).toBe(2 * users);
}

const night = async ({ id }: WireExperiment, day: Day) => {
  const body = { day, experiment_id: id };
  const path = "/v1/admin/pipeline-runs";
  const answer = await api.call<{ runs: readonly { outcome: string }[] }>("POST", path, { body });
  return answer.body.runs.map(({ outcome }) => outcome).join();
};
const runAgain = <T = WireResults>({ id }: Pick<WireExperiment, "id">, day: string) =>
  api.call<T>("POST", `/v1/experiments/${id}/runs`, { body: { day } });
const get = async <T = WireResults>({ id }: WireExperiment, what: string) =>
  (await api.call<T>("GET", `/v1/experiments/${id}/${what}`)).body;

/** What must not differ between two computations from the same data. */
const contentOf = ({ computed_at: _, revision: __, revisions: ___, ...content }: WireResults) =>
  JSON.stringify(content);

describe("the default view", () => {
  test("stays withheld when an earlier night is computed later", async () => {
    const experiment = await create("out-of-order");
    await sendDay(experiment, first, { lift: 8 });
    await sendDay(experiment, second, { share: 0.7 });
    expect(await night(experiment, second)).toBe("withheld");
    expect(await night(experiment, first)).toBe("computed");

    const shown = await get(experiment, "results");
    expect(shown).toMatchObject({ computed_for: second, srm: { status: "halted" }, results: {} });
    expect(shown.available_days).toEqual([first]);
    const overview = await get<Record<string, unknown>>(experiment, "overview");
    expect(overview).toMatchObject({
      state: "withheld",
      primary: null,
      last_run: { computed_for: second, revision: 1, srm_status: "halted" },
    });
    const { body: list } = await api.call<{ items: readonly { id: string }[] }>("GET", "/v1/overview");
    expect(list.items.find(({ id }) => id === experiment.id)).toEqual(overview);
    expect(await get(experiment, "health")).toMatchObject({ computed_for: second });
    const { body: summary } = await api.call<readonly WireResults[]>("GET", "/v1/results/summary");
    expect(summary.map((run) => run.experiment_id)).not.toContain(experiment.id);
    expect(await get(experiment, `results?day=${first}`)).toMatchObject({ computed_for: first });
  });

  test("is a manual run until a night's window ends after it, whatever is run again", async () => {
    const experiment = await create("manual");
    await sendDay(experiment, first);
    expect(await night(experiment, first)).toBe("computed");
    const manual = await api.call<WireResults>("POST", `/v1/experiments/${experiment.id}/analyze`);
    expect(manual.body).toMatchObject({ revision: 1, revisions: [1] });
    const label = manual.body.computed_for;
    expect((await runAgain(experiment, first)).body.available_days).toEqual([label, first]);
    expect((await get(experiment, "results")).computed_for).toBe(label);
    expect(await night(experiment, dayOf(Date.now()))).toBe("computed");
    expect((await get(experiment, "results")).available_days).toEqual([dayOf(Date.now()), label, first]);
    expect((await get(experiment, "results")).computed_for).toBe(dayOf(Date.now()));
  });
});

describe("a night that is run again", () => {
  test("over the same data has the same bytes under the next revision, and the first stays", async () => {
    const experiment = await create("clean");
    for (const day of [first, second, third]) {
      await sendDay(experiment, day, { lift: 3 });
      expect(await night(experiment, day)).toBe("computed");
    }
    const before = await get(experiment, `results?day=${second}`);
    expect(before).toMatchObject({ revision: 1, revisions: [1] });

    const { status, body: again } = await runAgain(experiment, second);
    expect(status).toBe(200);
    expect(again).toMatchObject({ computed_for: second, revision: 2, revisions: [1, 2] });
    expect(again.window.to).toBe(toInstant(endOfDay(second)));
    expect(again.computed_at > before.computed_at).toBe(true);
    expect(contentOf(again)).toBe(contentOf(before));
    expect(await get(experiment, `results?day=${second}`)).toEqual(again);
    const kept = await get(experiment, `results?day=${second}&revision=1`);
    expect(kept).toEqual({ ...before, revisions: [1, 2] });
    expect((await get(experiment, "results")).computed_for).toBe(third);

    const history = await get<{ runs: readonly WireResults[] }>(experiment, "results/history");
    expect(history.runs.map((run) => [run.computed_for, run.revision])).toEqual([
      [first, 1],
      [second, 2],
      [third, 1],
    ]);
    const audit = await api.call<{ items: readonly object[] }>("GET", "/v1/audit?limit=1");
    expect(audit.body.items).toMatchObject([
      { action: "experiment.run-night", summary: `Ran the night of ${second}: revision 2.` },
    ]);
  });

  test("takes what arrived since, and later nights go on from it", async () => {
    const experiment = await create("repaired");
    await sendDay(experiment, first, { lift: 8 });
    await night(experiment, first);
    const poisoned = (await get(experiment, `results?day=${first}`)).results[ROW]!;
    expect(poisoned.p_value_seq).toBeLessThan(0.01);

    await sendDay(experiment, first, { lift: -8, name: "late" });
    const repaired = (await runAgain(experiment, first)).body;
    expect(repaired.results[ROW]!.n_per_arm).toEqual({ control: USERS, treatment: USERS });
    expect(repaired.results[ROW]!.p_value_seq).toBeGreaterThan(0.1);

    await sendDay(experiment, second);
    expect(await night(experiment, second)).toBe("computed");
    expect((await get(experiment, "results")).results[ROW]!.p_value_seq).toBeGreaterThan(0.1);

    // The night after it, which is clear now, does not reach back.
    await sendDay(experiment, second, { lift: 30, name: "late" });
    expect((await runAgain(experiment, second)).body.results[ROW]!.p_value_seq).toBeLessThan(0.01);
    const third = await runAgain(experiment, first);
    expect(third.body).toMatchObject({ revision: 3, revisions: [1, 2, 3] });
    expect(contentOf(third.body)).toBe(contentOf({ ...repaired, available_days: [second, first] }));
  });

  test("ignores runs of its own day that were made before the day was over", async () => {
    const experiment = await create("unfinished");
    const today = dayOf(Date.now());
    await sendDay(experiment, first, { lift: 8 });
    expect(await night(experiment, today)).toBe("computed");
    await sendDay(experiment, first, { lift: -8, name: "late" });
    const manual = await api.call<WireResults>("POST", `/v1/experiments/${experiment.id}/analyze`);
    expect(manual.body.results[ROW]!.p_value_seq).toBeGreaterThan(0.1);
  });

  test("and had too little data gets its first run once there is enough", async () => {
    const experiment = await create("too-early");
    await sendDay(experiment, first, { users: 100 });
    expect(await night(experiment, first)).toBe("collecting");
    const refused = await runAgain<WireProblem>(experiment, first);
    expect([refused.status, slugOf(refused.body)]).toEqual([404, "results-not-ready"]);
    expect(refused.body.detail).toMatch(/spent is collecting/);
    await sendDay(experiment, first, { name: "late" });
    const { body } = await runAgain(experiment, first);
    expect(body).toMatchObject({ computed_for: first, revision: 1, revisions: [1], available_days: [first] });
  });

  test("and has no rows any more is stored, as it replaces one that has", async () => {
    const experiment = await create("then-withheld");
    await sendDay(experiment, first);
    await night(experiment, first);
    await sendDay(experiment, first, { share: 0.9, name: "late" });
    const { body } = await runAgain(experiment, first);
    expect(body).toMatchObject({ revision: 2, srm: { status: "halted" }, available_days: [] });
    expect(await get(experiment, "results")).toEqual(body);
  });

  test.each([
    { day: dayOf(Date.now()), detail: /^\/day: is not over yet: today is .* in UTC/ },
    { day: "2026-02-30", detail: "/day: is not a calendar date." },
    { day: "yesterday", detail: /\/day/ },
  ])("is a day that is over: not $day", async ({ day, detail }) => {
    const answer = await runAgain<WireProblem>(await create(`refused ${day}`), day);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: "/day" }]);
    expect(answer.body.detail).toMatch(detail);
  });

  test("must have the requested revision", async () => {
    const experiment = await create("unknown-revision");
    await sendDay(experiment, first);
    await night(experiment, first);
    for (const [query, detail] of [
      [
        `day=${first}&revision=2`,
        "There is no revision 2 of this run; revisions lists those that are stored.",
      ],
      [`day=${second}`, `There is no run "${second}"; available_days lists those that are stored.`],
    ]) {
      const problem = await get<WireProblem>(experiment, `results?${query}`);
      expect([slugOf(problem), problem.detail]).toEqual(["run-not-found", detail]);
    }
    const malformed = await get<WireProblem>(experiment, "results?revision=0");
    expect(slugOf(malformed)).toBe("invalid-query");
    const unknown = { id: "00000000-0000-7000-8000-000000000000" };
    expect((await runAgain(unknown, first)).status).toBe(404);
  });
});
