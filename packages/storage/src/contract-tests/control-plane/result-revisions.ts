import type { ControlStores, Day, Experiment, ExperimentResults, Json } from "@assay/domain";
import { expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg } from "./fixtures.ts";
import { NO_SUMMARY, put, runOf, SUMMARY, storedAs } from "./result-fixtures.ts";

/** Tests the labels that a list shows. */
export function labels(engine: () => Engine): void {
  /** Two nights and a manual run between them; the older night was computed a second time before it was over. */
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

/** Tests runs that are computed again. */
export function revisions(engine: () => Engine): void {
  test("of a run are numbered across processes, and none replaces another", async () => {
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

  test("are superseded: the newest decides what a day shows, what lists show and what later nights continue", async () => {
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
