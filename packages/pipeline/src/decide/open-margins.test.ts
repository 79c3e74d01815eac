import { dayOf, type MetricResult } from "@assay/domain";
import { alwaysValidStandardErrors, normalQuantile } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { experimentOf, metric, run, until } from "../test-support/runs.ts";
import { openMargins } from "./open-margins.ts";

const ARMS = ["control", "treatment"];
const day = dayOf(until - 1);

function decisionOf(metrics: readonly ReturnType<typeof metric>[], names: readonly string[]) {
  const data = names.flatMap((name) => ARMS.map((arm) => sums({ metric: name, arm }, 1_000, { mean: 10 })));
  return run({ metrics }, { metrics: data }).decision!;
}

describe("a margin is open", () => {
  const main = metric("main");

  test("while its metric has no row: nothing shows that it is not worse", () => {
    const { open } = decisionOf([main, metric("quality", { role: "guardrail", margin: 0.5 })], ["main"]);
    expect(open).toEqual([{ metric: "quality", treatment: "treatment", days: null, labels: null }]);
  });

  test("forever if it is 0: no amount of data settles it", () => {
    const { open } = decisionOf([main, metric("quality", { margin: 0 })], ["main", "quality"]);
    expect(open).toEqual([{ metric: "quality", treatment: "treatment", days: null, labels: null }]);
  });

  test("no longer once its metric has left the experiment after the decision", () => {
    const guard = metric("guard", { role: "guardrail", margin: 0.01 });
    const before = decisionOf([main, guard], ["main", "guard"]);
    expect(before.open).toMatchObject([{ metric: "guard" }]);
    const data = ARMS.map((arm) => sums({ metric: "main", arm }, 1_000, { mean: 10 }));
    const decided = { ...before, decidedOn: day, decidedState: "running" as const };
    const { decision } = run({ metrics: [main] }, { metrics: data }, { decision: decided });
    expect(decision!.open).toEqual([]);
    expect(decision).toMatchObject({ treatment: "treatment" });
    const other = metric("other");
    const values = ARMS.map((arm) => sums({ metric: "other", arm }, 1_000, { mean: 10 }));
    const undecided = { ...decided, treatment: null };
    const replaced = run({ metrics: [other] }, { metrics: values }, { decision: undecided }).decision;
    // No treatment leads in a metric that did not exist at the decision look.
    expect(replaced).toMatchObject({ treatment: null, information: 0, boundary: null });
  });
});

type Input = Parameters<typeof openMargins>[2];

describe("what settles a margin", () => {
  const guard = metric("guard", { margin: 0.05 });
  const data = ARMS.map((arm) => sums({ metric: "guard", arm }, 1_000, { mean: 10 }));
  const row = run({ metrics: [guard] }, { metrics: data }).results["guard::treatment"]!;
  const needed = (
    change: Partial<MetricResult>,
    nights: Input["frame"]["nights"],
    { arms = ARMS, ...input }: Partial<Input> & { readonly arms?: readonly string[] } = {},
  ) =>
    openMargins(
      [],
      { rows: [{ ...row, ...change }], treatments: ["treatment"] },
      {
        frame: { nights, until, experiment: experimentOf([guard]) },
        exposures: arms.map((arm) => ({
          ...{ arm, period: 0, users: 1_000, testUsers: 0, contaminatedUsers: 0, heavyUsers: 0 },
          usersByDay: new Map([
            [dayOf(until - 86_400_001), 500],
            [day, 500],
          ]),
        })),
        ...{ guardrails: 1, expectedUsers: {}, isOver: false },
        ...input,
      },
    )[0]!;

  test("is unknown for a row without a spread", () => {
    expect(needed({ standardError: null }, [])).toMatchObject({ days: null, labels: null });
  });

  test("is learned from the nights that had a spread", () => {
    const night = (standardError: number | null) => ({
      units: 0,
      rows: {
        "guard::treatment": {
          ...{ metricVersion: 1, users: 500, standardError, pValueSeq: null, isCalibrated: false },
        },
      },
    });
    const { days } = needed({}, []);
    expect(days).toBeGreaterThan(0);
    expect(needed({}, [night(null)])).toMatchObject({ days });
  });

  test.each([
    { what: "one guardrail", input: { guardrails: 1 } },
    { what: "three guardrails, which must all hold", input: { guardrails: 3 } },
    { what: "evidence that holds at any look", input: { guardrails: 1, isOver: true } },
  ])("is as much as the planned power needs: $what", ({ input }) => {
    const { standardError, nPerArm } = row;
    const users = nPerArm.control! + nPerArm.treatment!;
    const planned = normalQuantile(0.975) + normalQuantile(1 - 0.2 / input.guardrails);
    const extra = input.isOver ? alwaysValidStandardErrors(users) - normalQuantile(0.975) : 0;
    const more = ((standardError! * (planned + extra)) / 0.05) ** 2 - 1;
    const judge = { calibrated: true, labelsPerArm: { control: 60, treatment: 40 } } as unknown;
    // 1,000 users a day came to both arms; others do not help.
    expect(
      needed({ judge: judge as MetricResult["judge"] }, [], { ...input, arms: [...ARMS, "other"] }),
    ).toMatchObject({ days: Math.ceil((more * users) / 1_000), labels: Math.ceil(more * 100) });
  });

  test("includes labels where labels correct the row", () => {
    const judge = { calibrated: true, labelsPerArm: { control: 50, treatment: 50 } } as unknown;
    expect(needed({ judge: judge as MetricResult["judge"] }, []).labels).toBeGreaterThan(0);
  });
});
