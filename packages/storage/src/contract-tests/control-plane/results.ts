import type {
  ControlStores,
  Experiment,
  ExperimentResults,
  Json,
  RunSummary,
  StoredRun,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg, ODD_TEXT } from "./fixtures.ts";

export function resultContract(engine: () => Engine): void {
  describe("results", () => {
    writing(engine);
    choosing(engine);
    nights(engine);
    summaries(engine);
  });
}

const runOf = ({ orgId, id }: Experiment, overrides: Partial<StoredRun> = {}): StoredRun => ({
  orgId,
  experimentId: id,
  label: "2026-01-01",
  preliminary: false,
  windowTo: NOW,
  computedAt: NOW,
  body: { z: 1, a: [0.1, null, 1e-300, ODD_TEXT], nested: { "a::b": true } },
  ...overrides,
});

const NO_SUMMARY: RunSummary = { srmStatus: "passed", worstRemark: null, rows: [], tradeoffs: [] };
const put = ({ results }: Pick<ControlStores, "results">, run: StoredRun, summary = NO_SUMMARY) =>
  results.put(run, summary);

function writing(engine: () => Engine): void {
  test("are written once per label and cut-off, by the first process", async () => {
    const { planes } = engine();
    const experiment = await newExperiment(planes[0], await newOrg(planes[0]));
    const runs = planes.map((_, i) => runOf(experiment, { body: i, computedAt: NOW + i }));
    const written = await Promise.all(runs.map((run, i) => put(planes[i]!, run)));
    expect(written.toSorted()).toEqual([false, true]);
    const stored = await planes[0].results.find(experiment.orgId, experiment.id, "2026-01-01");
    expect(stored).toEqual(runs[written.indexOf(true)]);
    expect(await put(planes[1], runOf(experiment, { body: "third" }))).toBe(false);
    expect(await planes[1].results.find(experiment.orgId, experiment.id)).toEqual(stored);
  });

  test.each<{ name: string; body: Json }>([
    { name: "an object, keys in their order", body: runOf({} as Experiment).body },
    { name: "null", body: null },
    { name: "a NUL inside", body: "\0" },
  ])("keep a body that is $name, byte for byte", async ({ body }) => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const run = runOf(experiment, { body, preliminary: true });
    await put(first, run);
    const stored = await second.results.find(experiment.orgId, experiment.id);
    expect(stored).toEqual(run);
    expect(JSON.stringify(stored?.body)).toBe(JSON.stringify(body));
  });

  test("are refused for another org's experiment", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const stranger = await newOrg(plane);
    await expect(put(plane, runOf({ ...experiment, orgId: stranger }))).rejects.toThrow(/foreign key/i);
  });
}

function choosing(engine: () => Engine): void {
  const day = (experiment: Experiment) => [
    runOf(experiment, { label: "2026-01-01", windowTo: NOW + 1, computedAt: NOW + 9 }),
    runOf(experiment, { label: "2026-01-01", windowTo: NOW + 2, computedAt: NOW + 3 }),
    runOf(experiment, { label: "2026-01-02", windowTo: NOW + 5, computedAt: NOW + 5 }),
    runOf(experiment, { label: "manual", windowTo: NOW + 4, computedAt: NOW + 10 }),
  ];

  test("are found by label with the latest cut-off, and without a label by time of computation", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const { orgId, id } = experiment;
    const runs = day(experiment);
    for (const run of runs) expect(await put(plane, run)).toBe(true);
    expect(await plane.results.find(orgId, id, "2026-01-01")).toEqual(runs[1]);
    expect(await plane.results.find(orgId, id, "2026-01-02")).toEqual(runs[2]);
    expect(await plane.results.find(orgId, id)).toEqual(runs[3]);
    expect(await plane.results.find(orgId, id, "2026-01-03")).toBeNull();
    expect(await plane.results.listLabels(orgId, id)).toEqual(["manual", "2026-01-01", "2026-01-02"]);
  });

  test("are listed with the latest computed run of each experiment of the org", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const [one, two] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    await newExperiment(plane, orgId);
    for (const run of [...day(one), ...day(two).slice(0, 3)]) await put(plane, run);
    expect(await plane.results.listLatest(orgId)).toEqual([day(one)[3], day(two)[0]]);
    expect(await plane.results.listAllLabels(orgId)).toEqual(
      new Map([
        [one.id, ["manual", "2026-01-01", "2026-01-02"]],
        [two.id, ["2026-01-01", "2026-01-02"]],
      ]),
    );
  });

  test("computed at the same time are ordered by cut-off, then by label", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const experiment = await newExperiment(plane, orgId);
    const [early, lesser, last] = [
      runOf(experiment, { label: "z" }),
      runOf(experiment, { label: "a", windowTo: NOW + 1 }),
      runOf(experiment, { label: "b", windowTo: NOW + 1 }),
    ];
    for (const run of [lesser, last, early]) await put(plane, run);
    expect(await plane.results.find(orgId, experiment.id)).toEqual(last);
    expect(await plane.results.listLatest(orgId)).toEqual([last]);
    expect(await plane.results.listLatestSummaries(orgId)).toMatchObject([{ label: "b" }]);
  });

  test("do not exist for another org", async () => {
    const [{ results }, plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const stranger = await newOrg(plane);
    await put(plane, runOf(experiment));
    expect(await results.find(stranger, experiment.id)).toBeNull();
    expect(await results.find(stranger, experiment.id, "2026-01-01")).toBeNull();
    expect(await results.listLabels(stranger, experiment.id)).toEqual([]);
    expect(await results.listAllLabels(stranger)).toEqual(new Map());
    expect(await results.listLatest(stranger)).toEqual([]);
    expect(await results.listLatestSummaries(stranger)).toEqual([]);
  });
}

function nights(engine: () => Engine): void {
  const DAY = 86_400_000;
  const night = (experiment: Experiment, day: number, overrides: Partial<StoredRun> = {}) =>
    runOf(experiment, { label: `2026-01-0${day}`, windowTo: NOW + day * DAY, body: day, ...overrides });

  test("of nights before a cut-off are listed oldest first, the last run of each night", async () => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const { orgId, id } = experiment;
    const [one, three, two] = [night(experiment, 1), night(experiment, 3), night(experiment, 2)];
    const early = night(experiment, 2, { windowTo: two.windowTo - 1, computedAt: NOW + 99, body: "early" });
    const manual = runOf(experiment, { label: "manual-x", windowTo: NOW + 2.5 * DAY, preliminary: true });
    for (const run of [one, three, early, two, manual]) await put(first, run);
    const before = (windowTo: number, limit = 10) =>
      second.results.listNightlyBefore(orgId, id, { windowTo, limit });
    expect(await before(three.windowTo + 1)).toEqual([one, two, three]);
    expect(await before(three.windowTo)).toEqual([one, two]);
    expect(await before(two.windowTo)).toEqual([one, early]);
    expect(await before(three.windowTo + 1, 2)).toEqual([two, three]);
    expect(await before(one.windowTo)).toEqual([]);
  });

  test("belong to one experiment of one org", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const [mine, sibling] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    const stranger = await newExperiment(plane, await newOrg(plane));
    for (const experiment of [mine, sibling, stranger]) await put(plane, night(experiment, 1));
    const range = { windowTo: NOW + 9 * DAY, limit: 10 };
    expect(await plane.results.listNightlyBefore(orgId, mine.id, range)).toEqual([night(mine, 1)]);
    expect(await plane.results.listNightlyBefore(orgId, stranger.id, range)).toEqual([]);
  });
}

const SUMMARY: RunSummary = {
  srmStatus: "halted",
  worstRemark: "warning",
  rows: [
    {
      ...{ metric: ODD_TEXT, treatment: "b", role: "primary", desired: "increase", verdict: "better" },
      ...{ effect: 0.1, ciLow: null, ciHigh: 1e-300, pValue: 0.01, pValueFdr: 0.02, significant: true },
      ...{ relativeEffect: null, relativeCiLow: null, relativeCiHigh: null, pValueSeqFdr: null },
      progress: { share: 0.5, daysToGo: null },
      nonInferiority: { margin: 0.1, worstLoss: null, isNotWorse: false, isNotWorseSeq: false },
    },
  ],
  tradeoffs: [
    {
      ...{ treatment: "b", verdict: "cheaper-and-not-worse", isSettled: true },
      saving: {
        ...{ metric: "cost", usdPer1000Users: 1.5, ciLow: 1, ciHigh: 2 },
        ...{ relativeEffect: null, relativeCiLow: null, relativeCiHigh: null },
      },
      notWorse: [{ metric: ODD_TEXT, margin: 0.1, worstLoss: 0.01, isJudgeOpinion: true }],
    },
  ],
};

function summaries(engine: () => Engine): void {
  const withoutBody = ({ body: _, ...run }: StoredRun) => run;

  test("are listed without bodies, the latest computed run of each experiment", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const [one, two] = [await newExperiment(first, orgId), await newExperiment(first, orgId)];
    await newExperiment(first, orgId);
    const last = runOf(one, { label: "manual", preliminary: true, computedAt: NOW + 1 });
    await put(first, runOf(one));
    await put(first, last, SUMMARY);
    await put(first, runOf(two));
    const listed = await second.results.listLatestSummaries(orgId);
    expect(new Map(listed.map((run) => [run.experimentId, run]))).toEqual(
      new Map([
        [one.id, { ...withoutBody(last), summary: SUMMARY }],
        [two.id, { ...withoutBody(runOf(two)), summary: NO_SUMMARY }],
      ]),
    );
  });

  test("without a summary get one when they are listed", async () => {
    const { planes, execute } = engine();
    const orgId = await newOrg(planes[0]);
    const { results } = planes[1];
    const body = {
      srm: { status: "halted" },
      health: [{ code: "c", severity: "warning", detail: "d" }],
      results: {},
    } as unknown as ExperimentResults & Json;
    const experiments = await Promise.all(Array.from({ length: 45 }, () => newExperiment(planes[0], orgId)));
    for (const experiment of experiments) await put(planes[0], runOf(experiment, { body }));
    await execute(
      `delete from run_summaries where experiment_id in (select id from experiments where org_id = '${orgId}')`,
    );
    const summary = { srmStatus: "halted", worstRemark: "warning", rows: [], tradeoffs: [] };
    const expected = experiments.map(() => summary);
    for (const _ of ["filled", "stored"]) {
      const listed = await results.listLatestSummaries(orgId);
      expect(listed.map(({ summary }) => summary)).toEqual(expected);
    }
    await execute(`update results set body = 'gone' where org_id = '${orgId}'`);
    expect(await results.listLatestSummaries(orgId)).toHaveLength(45);
    await execute(`delete from results where org_id = '${orgId}'`);
    expect(await results.listLatestSummaries(orgId)).toEqual([]);
  });

  test("from before margins and trade-offs are read without any", async () => {
    const { planes, execute } = engine();
    const orgId = await newOrg(planes[0]);
    const experiment = await newExperiment(planes[0], orgId);
    await put(planes[0], runOf(experiment), SUMMARY);
    const { tradeoffs: _, ...old } = SUMMARY;
    const rows = old.rows.map(({ nonInferiority: _none, ...row }) => ({ ...row, metric: "m" }));
    await execute(
      `update run_summaries set summary = '${JSON.stringify({ ...old, rows })}' where experiment_id = '${experiment.id}'`,
    );
    const [listed] = await planes[1].results.listLatestSummaries(orgId);
    const expected = rows.map((row) => ({ ...row, nonInferiority: null }));
    expect(listed?.summary).toEqual({ ...old, rows: expected, tradeoffs: [] });
  });
}
