import type {
  ControlStores,
  Day,
  Experiment,
  ExperimentResults,
  Json,
  NewRun,
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
    labels(engine);
    revisions(engine);
    nights(engine);
    summaries(engine);
  });
}

const runOf = ({ orgId, id }: Experiment, overrides: Partial<NewRun> = {}): NewRun => ({
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
const put = ({ results }: Pick<ControlStores, "results">, run: NewRun, summary = NO_SUMMARY) =>
  results.put(run, summary);
/** The run as the store answers it. */
const storedAs = (run: NewRun, revision = 1, revisions = revision): StoredRun => ({
  ...run,
  revision,
  revisions,
});

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

function labels(engine: () => Engine): void {
  /** Two nights, of which the older one was computed again before it was over, and a manual run between them. */
  async function writeRuns(plane: ControlStores, experiment: Experiment): Promise<void> {
    await put(plane, runOf(experiment, { windowTo: NOW + 1, computedAt: NOW + 9 }));
    await put(plane, runOf(experiment, { windowTo: NOW + 2 }), SUMMARY);
    await put(plane, runOf(experiment, { label: "2026-01-02", windowTo: NOW + 4 }), SUMMARY);
    const manual = { label: "manual", preliminary: true, windowTo: NOW + 3, computedAt: NOW + 8 };
    await put(plane, runOf(experiment, manual), SUMMARY);
  }
  const LABELS = ["2026-01-02", "manual", "2026-01-01"];

  test("are labelled by window, newest first, and only those with rows", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const [one, two, three] = [
      await newExperiment(plane, orgId),
      await newExperiment(plane, orgId),
      await newExperiment(plane, orgId),
    ];
    await writeRuns(plane, one);
    await writeRuns(plane, two);
    await put(plane, runOf(two, { label: "2026-01-03", windowTo: NOW + 5 }), { ...SUMMARY, rows: [] });
    await put(plane, runOf(three));
    for (const { id } of [one, two]) expect(await plane.results.listLabels(orgId, id)).toEqual(LABELS);
    expect(await plane.results.listLabels(orgId, three.id)).toEqual([]);
    expect(await plane.results.listAllLabels(orgId)).toEqual(
      new Map([
        [one.id, LABELS],
        [two.id, LABELS],
      ]),
    );
  });

  test("are labelled by their bodies when an older version stored them", async () => {
    const { planes, execute } = engine();
    const orgId = await newOrg(planes[0]);
    const { id, ...rest } = await newExperiment(planes[0], orgId);
    const body = (results: object) =>
      ({ srm: { status: "passed" }, health: [], results }) as unknown as ExperimentResults & Json;
    const withRows = { windowTo: NOW + 1, body: body({ "m::b": { metric: "m", mde: null } }) };
    await put(planes[0], runOf({ id, ...rest }, withRows));
    await put(planes[0], runOf({ id, ...rest }, { label: "2026-01-02", body: body({}) }));
    for (const forget of [
      `delete from run_summaries where experiment_id = '${id}'`,
      `update run_summaries set has_rows = null where experiment_id = '${id}'`,
    ]) {
      await execute(forget);
      expect(await planes[1].results.listLabels(orgId, id)).toEqual(["2026-01-01"]);
    }
    await execute(`update results set body = 'gone' where experiment_id = '${id}'`);
    expect(await planes[0].results.listLabels(orgId, id)).toEqual(["2026-01-01"]);
  });
}

function revisions(engine: () => Engine): void {
  test("of a run are numbered whichever process writes them, and none replaces another", async () => {
    const { planes } = engine();
    const experiment = await newExperiment(planes[0], await newOrg(planes[0]));
    const { orgId, id } = experiment;
    const first = runOf(experiment);
    await put(planes[0], first);
    const again = planes.map((_, i) => runOf(experiment, { body: `again ${i}`, computedAt: NOW + 1 + i }));
    const numbers = await Promise.all(again.map((run, i) => planes[i]!.results.putRevision(run, NO_SUMMARY)));
    expect(numbers.toSorted()).toEqual([2, 3]);
    const last = again[numbers.indexOf(3)]!;
    const { results } = planes[1];
    expect(await results.find(orgId, id)).toEqual(storedAs(last, 3));
    const found = (revision: number, label?: string) => results.find(orgId, id, { revision, label });
    expect(await found(1)).toEqual(storedAs(first, 1, 3));
    expect(await found(2, first.label)).toEqual(storedAs(again[numbers.indexOf(2)]!, 2, 3));
    expect(await found(3)).toEqual(storedAs(last, 3));
    expect(await found(4)).toBeNull();
    expect(await found(2, "2026-01-02")).toBeNull();
    expect(await put(planes[0], runOf(experiment, { body: "third" }))).toBe(false);
  });

  test("belong to a run with their cut-off", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const { orgId, id } = experiment;
    const [early, late] = [runOf(experiment), runOf(experiment, { windowTo: NOW + 1 })];
    await put(plane, early);
    expect(await plane.results.putRevision(early, NO_SUMMARY)).toBe(2);
    await expect(plane.results.putRevision(late, NO_SUMMARY)).rejects.toThrow(/foreign key/i);
    await put(plane, late);
    expect(await plane.results.find(orgId, id, { label: late.label })).toEqual(storedAs(late));
  });

  test("decide in the newest what a day shows, lists and leaves to later nights", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const experiment = await newExperiment(plane, orgId);
    const { results } = plane;
    const [older, newer] = [
      runOf(experiment, { windowTo: NOW }),
      runOf(experiment, { label: "2026-01-02", windowTo: NOW + 1 }),
    ];
    await put(plane, older, SUMMARY);
    await put(plane, newer);
    expect(await results.listLabels(orgId, experiment.id)).toEqual(["2026-01-01"]);
    const again = { ...older, computedAt: NOW + 9, body: "again" };
    await results.putRevision(again, NO_SUMMARY);
    expect(await results.listLatest(orgId)).toEqual([storedAs(newer)]);
    expect(await results.listLabels(orgId, experiment.id)).toEqual([]);
    const range = { day: "2026-01-02" as Day, limit: 9 };
    expect(await results.listNightlyBefore(orgId, experiment.id, range)).toEqual([storedAs(again, 2)]);
    const repaired = { ...newer, computedAt: NOW + 10, body: "repaired" };
    await results.putRevision(repaired, SUMMARY);
    expect(await results.listLatest(orgId)).toEqual([storedAs(repaired, 2)]);
    const { body: _, ...keys } = repaired;
    const summarized = [{ ...keys, revision: 2, summary: SUMMARY }];
    expect(await results.listLatestSummaries(orgId)).toEqual(summarized);
    expect(await results.listAllLabels(orgId)).toEqual(new Map([[experiment.id, ["2026-01-02"]]]));
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
