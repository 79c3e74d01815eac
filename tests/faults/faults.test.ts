import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ARM_FAULTS } from "./cases/arms.ts";
import { CALL_FAULTS } from "./cases/calls.ts";
import { HOSTILE_FAULTS } from "./cases/hostile.ts";
import { NAME_FAULTS } from "./cases/names.ts";
import { ROW_FAULTS } from "./cases/rows.ts";
import { TIME_FAULTS } from "./cases/times.ts";
import { TRUST_FAULTS } from "./cases/trust.ts";
import type { Fault, FoundFault, Refusals } from "./fault.ts";
import { at, type Lab, openLab } from "./lab.ts";
import { CLIENT, type Finding, openScene, type RunResults, type Scene } from "./scene.ts";
import type { Habit } from "./traffic.ts";

const FAULTS = {
  arms: ARM_FAULTS,
  trust: TRUST_FAULTS,
  names: NAME_FAULTS,
  times: TIME_FAULTS,
  calls: CALL_FAULTS,
  rows: ROW_FAULTS,
  "one bad event in a thousand": HOSTILE_FAULTS,
};

let lab: Lab;
/** One experiment for each fault. */
const scenes = new Map<Fault, Scene>();
const soundRuns = new Map<Habit, RunResults>();

beforeAll(async () => {
  lab = await openLab();
  const faults = Object.values(FAULTS).flat();
  const sound = new Map<Habit, Scene>();
  for (const fault of faults) {
    scenes.set(fault, await openScene(lab, fault.habit, fault.experiment));
    if (!sound.has(fault.habit)) sound.set(fault.habit, await openScene(lab, fault.habit));
  }
  lab.moveTo(at(12));
  for (const [fault, scene] of scenes) await fault.noon?.(scene);
  // Not a whole day after the first events, so that none of them is late.
  lab.moveTo(at(26));
  for (const [habit, scene] of sound) {
    await scene.send(scene.visits(await scene.people()), CLIENT);
    const run = await scene.night();
    expect(verdictOf(run, habit)).toBe(habit.truth);
    soundRuns.set(habit, run);
  }
});
afterAll(() => lab.stop());

function sceneOf(fault: Fault): Scene {
  const scene = scenes.get(fault);
  if (scene === undefined) throw new Error("No scene was opened.");
  return scene;
}

const DIGITS = [
  ...["test", "p_value", "p_value_fdr", "p_value_seq", "effect", "ci_low", "ci_high"],
  ...["control_value", "treatment_value", "n_per_arm", "events_per_arm", "verdict"],
];

/** All that a decision rests on. The ids of users decide the order in which costs are added up: the last digits differ. */
function digitsOf({ srm, results }: RunResults, fields: readonly string[]): unknown {
  const rounded = (value: unknown) => (typeof value === "number" ? value.toPrecision(9) : value);
  const rows = Object.entries(results).map(([key, row]) => [key, fields.map((field) => rounded(row[field]))]);
  return { srm: srm.status, rows };
}

function verdictOf({ results }: RunResults, { metrics }: Habit): string {
  const verdict = results[`${metrics[0]?.name}::treatment`]?.verdict;
  return verdict === "inconclusive" ? "no difference" : String(verdict);
}

/** One night decides nothing yet, unless the experiment began last quarter. */
const DECIDED = { better: /^(running|winning|ready-to-decide)$/, "no difference": /^running$/ };

test("the page about attribution names every finding", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/attribution.md"), "utf8");
  const codes = Object.values(FAULTS)
    .flat()
    .flatMap(({ shows }) => ("code" in shows ? [shows.code] : []));
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

describe.each(Object.entries(FAULTS))("%s", (_, faults) => {
  test.each(faults)("$name", async (fault) => {
    const scene = sceneOf(fault);
    const decided = DECIDED[fault.habit.truth];
    await fault.happens(scene);
    let run: RunResults | null = null;
    if ("refused" in fault.shows) expectRefusals(scene, fault.shows);
    else run = await expectFinding(scene, fault.shows);
    if (fault.state !== undefined) {
      run ??= await scene.night();
      expect(await scene.state()).toBe(fault.state);
    }
    if (fault.repair !== undefined) {
      if (run !== null && fault.state === undefined) expect(await scene.state()).toMatch(decided);
      await fault.repair(scene);
      run = null;
    }

    const repaired = run ?? (await scene.night());
    if (fault.after === "same verdict") expect(verdictOf(repaired, fault.habit)).toBe(fault.habit.truth);
    else {
      const sound = soundRuns.get(fault.habit)!;
      const fields = fault.comesOnOtherDays ? DIGITS.filter((field) => field !== "p_value_seq") : DIGITS;
      expect(digitsOf(repaired, fields)).toEqual(digitsOf(sound, fields));
    }
    if (scene.kept !== null) expect(JSON.stringify(repaired.results)).toBe(scene.kept);
    expect(repaired.health.filter(({ severity }) => severity === "critical")).toEqual([]);
    const isLasting = fault.repair === undefined && fault.state !== undefined;
    expect(await scene.state()).toMatch(isLasting ? fault.state : decided);
  });
});

function expectRefusals({ refused }: Scene, { times, ...sign }: Refusals): void {
  expect(refused).toEqual(Array.from({ length: times }, () => expect.stringMatching(sign.refused)));
}

/** Computes the night and looks for the finding: first in what the run says, which is cheaper, then in the data's health. */
async function expectFinding(scene: Scene, { code, severity, says }: FoundFault): Promise<RunResults> {
  const run = await scene.night();
  const isMeant = (finding: Finding) => finding.code === code;
  const found = run.health.find(isMeant) ?? (await scene.checks()).find(isMeant);
  expect(found).toMatchObject({ severity, detail: expect.stringMatching(says) });
  return run;
}
