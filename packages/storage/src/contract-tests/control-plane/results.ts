import type { Day, Experiment, ExperimentResults, Json, NewRun, RunSummary } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg } from "./fixtures.ts";
import { NO_SUMMARY, put, runOf, SUMMARY, storedAs } from "./result-fixtures.ts";
import { labels, revisions } from "./result-revisions.ts";

export function resultContract(engine: () => Engine): void {
  describe("results", () => {
    writing(engine);
    choosing(engine);
    labels(engine);
    revisions(engine);
    nights(engine);
    summaries(engine);
  });
}

function writing(engine: () => Engine): void {
  test("are written once per label and cut-off, by the first process", async () => {
    const { planes } = engine();
    const experiment = await newExperiment(planes[0], await newOrg(planes[0]));
    const runs = planes.map((_, i) => runOf(experiment, { body: i, computedAt: NOW + i }));
    const written = await Promise.all(runs.map((run, i) => put(planes[i]!, run)));
    expect(written.toSorted()).toEqual([false, true]);
    const choice = { label: "2026-01-01" };
    const stored = await planes[0].results.find(experiment.orgId, experiment.id, choice);
    expect(stored).toEqual(storedAs(runs[written.indexOf(true)]!));
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
    expect(stored).toEqual(storedAs(run));
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
  interface Choice {
    readonly name: string;
    readonly runs: readonly Partial<NewRun>[];
    /** Index of the run of the default view. */
    readonly shown: number;
  }
  const manual = (windowTo: number, overrides: Partial<NewRun> = {}) => ({
    ...{ label: `manual-${windowTo}`, preliminary: true, windowTo },
    ...overrides,
  });

  test.each<Choice>([
    {
      name: "the newest night, though an earlier one was computed after it",
      runs: [
        { label: "2026-01-02", windowTo: NOW + 2, computedAt: NOW + 2 },
        { label: "2026-01-01", windowTo: NOW + 1, computedAt: NOW + 9 },
      ],
      shown: 0,
    },
    {
      name: "a manual run, as long as no window ends after its own",
      runs: [{ windowTo: NOW + 1, computedAt: NOW + 9 }, manual(NOW + 2), manual(NOW + 1)],
      shown: 1,
    },
    {
      name: "a manual run whose window ends with the night's",
      runs: [{ label: "zzz", windowTo: NOW + 1 }, manual(NOW + 1)],
      shown: 1,
    },
    {
      name: "the night that overtook a manual run computed later",
      runs: [manual(NOW + 1, { computedAt: NOW + 9 }), { windowTo: NOW + 2, computedAt: NOW + 2 }],
      shown: 1,
    },
    {
      name: "the latest cut-off of a day",
      runs: [
        { windowTo: NOW + 1, computedAt: NOW + 9 },
        { windowTo: NOW + 2, computedAt: NOW + 2 },
      ],
      shown: 1,
    },
  ])("show $name", async ({ runs, shown }) => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const experiment = await newExperiment(plane, orgId);
    const written = runs.map((run) => runOf(experiment, run));
    for (const run of written) expect(await put(plane, run)).toBe(true);
    const expected = storedAs(written[shown]!);
    expect(await plane.results.find(orgId, experiment.id)).toEqual(expected);
    expect(await plane.results.listLatest(orgId)).toEqual([expected]);
    const { body: _, revisions: __, ...run } = expected;
    expect(await plane.results.listLatestSummaries(orgId)).toEqual([{ ...run, summary: NO_SUMMARY }]);
  });

  test("are found by label with the latest cut-off", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const { orgId, id } = experiment;
    const [early, late] = [
      runOf(experiment, { windowTo: NOW + 1, computedAt: NOW + 9 }),
      runOf(experiment, { windowTo: NOW + 2, computedAt: NOW + 3 }),
    ];
    for (const run of [late, early, runOf(experiment, { label: "2026-01-02" })]) await put(plane, run);
    expect(await plane.results.find(orgId, id, { label: "2026-01-01" })).toEqual(storedAs(late));
    expect(await plane.results.find(orgId, id, { label: "2026-01-03" })).toBeNull();
  });

  test("are listed once for each experiment of the org that has one", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const [one, two] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    await newExperiment(plane, orgId);
    for (const experiment of [one, two])
      for (const windowTo of [NOW, NOW + 1])
        await put(plane, runOf(experiment, { label: `2026-01-0${windowTo - NOW + 1}`, windowTo }));
    const ids = (await plane.results.listLatest(orgId)).map(({ experimentId, label }) => [
      experimentId,
      label,
    ]);
    expect(new Map(ids as [string, string][])).toEqual(
      new Map([
        [one.id, "2026-01-02"],
        [two.id, "2026-01-02"],
      ]),
    );
  });

  test("do not exist for another org", async () => {
    const [{ results }, plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const stranger = await newOrg(plane);
    await put(plane, runOf(experiment), SUMMARY);
    expect(await results.find(stranger, experiment.id)).toBeNull();
    expect(await results.find(stranger, experiment.id, { label: "2026-01-01" })).toBeNull();
    expect(await results.listLabels(stranger, experiment.id)).toEqual([]);
    expect(await results.listAllLabels(stranger)).toEqual(new Map());
    expect(await results.listLatest(stranger)).toEqual([]);
    expect(await results.listLatestSummaries(stranger)).toEqual([]);
  });
}

function nights(engine: () => Engine): void {
  const DAY = 86_400_000;
  const night = (experiment: Experiment, day: number, overrides: Partial<NewRun> = {}) =>
    runOf(experiment, { label: `2026-01-0${day}`, windowTo: NOW + day * DAY, body: day, ...overrides });

  test("of the days before one are listed oldest first, each with its latest cut-off", async () => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const { orgId, id } = experiment;
    const [one, three, two] = [night(experiment, 1), night(experiment, 3), night(experiment, 2)];
    const early = night(experiment, 2, { windowTo: two.windowTo - 1, computedAt: NOW + 99, body: "early" });
    const manual = runOf(experiment, { label: "manual-x", windowTo: NOW + 2.5 * DAY, preliminary: true });
    for (const run of [one, three, early, two, manual]) await put(first, run);
    const before = (day?: string, limit = 10) =>
      second.results.listNightlyBefore(orgId, id, { day: day as Day | undefined, limit });
    const [first1, first2, first3] = [one, two, three].map((run) => storedAs(run));
    expect(await before()).toEqual([first1, first2, first3]);
    expect(await before("2026-01-04")).toEqual([first1, first2, first3]);
    expect(await before("2026-01-03")).toEqual([first1, first2]);
    expect(await before("2026-01-02")).toEqual([first1]);
    expect(await before("2026-01-01")).toEqual([]);
    expect(await before(undefined, 2)).toEqual([first2, first3]);
  });

  test("belong to one experiment of one org", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const [mine, sibling] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    const stranger = await newExperiment(plane, await newOrg(plane));
    for (const experiment of [mine, sibling, stranger]) await put(plane, night(experiment, 1));
    const range = { limit: 10 };
    expect(await plane.results.listNightlyBefore(orgId, mine.id, range)).toEqual([storedAs(night(mine, 1))]);
    expect(await plane.results.listNightlyBefore(orgId, stranger.id, range)).toEqual([]);
  });
}

function summaries(engine: () => Engine): void {
  test("are listed without bodies, the default view of each experiment", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const [one, two] = [await newExperiment(first, orgId), await newExperiment(first, orgId)];
    await newExperiment(first, orgId);
    const last = runOf(one, { label: "manual", preliminary: true, windowTo: NOW + 1 });
    await put(first, runOf(one));
    await put(first, last, SUMMARY);
    await put(first, runOf(two));
    const listed = await second.results.listLatestSummaries(orgId);
    const summarized = ({ body: _, ...run }: NewRun, summary: RunSummary) => ({
      ...run,
      revision: 1,
      summary,
    });
    expect(new Map(listed.map((run) => [run.experimentId, run]))).toEqual(
      new Map([
        [one.id, summarized(last, SUMMARY)],
        [two.id, summarized(runOf(two), NO_SUMMARY)],
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
    const summary = {
      ...{ srmStatus: "halted", worstRemark: "warning", rows: [], tradeoffs: [], decision: null },
      withheldBy: null,
    };
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

  test("from before margins, trade-offs and decisions are read without any", async () => {
    const { planes, execute } = engine();
    const orgId = await newOrg(planes[0]);
    const experiment = await newExperiment(planes[0], orgId);
    await put(planes[0], runOf(experiment), SUMMARY);
    const { tradeoffs: _tradeoffs, decision: _decision, ...old } = SUMMARY;
    const rows = old.rows.map(({ nonInferiority: _none, ...row }) => ({ ...row, metric: "m" }));
    await execute(
      `update run_summaries set summary = '${JSON.stringify({ ...old, rows })}' where experiment_id = '${experiment.id}'`,
    );
    const [listed] = await planes[1].results.listLatestSummaries(orgId);
    const expected = rows.map((row) => ({ ...row, nonInferiority: null }));
    expect(listed?.summary).toEqual({ ...old, rows: expected, tradeoffs: [], decision: null });
  });
}
