import { expect, test } from "vitest";
import type { Results } from "../../../api/types.ts";
import { shipChecks } from "./ship-checks.ts";

type Facts = Parameters<typeof shipChecks>[0];
type Decision = NonNullable<Results["decision"]>;

const margin = (metric: string, treatment: string) => ({ kind: "not-worse", metric, treatment });
const decision = (change: object) =>
  ({
    ...{ decided_on: null, look: 0, looks: "group-sequential", information: 0.4, treatment: null },
    ...{ decided_state: null, evidence: [], open: [], alarms: [], losses: [], ...change },
  }) as unknown as Decision;
const facts = (change: Partial<Facts> = {}): Facts => ({
  srm: { status: "passed", p_value: 0.3, threshold: 0.001 } as Facts["srm"],
  decision: null,
  health: [],
  ...change,
});
const said = (change: Partial<Facts>) =>
  shipChecks(facts(change)).map(({ state, words }) => `${state}: ${words}`);

test("without a plan, the split and the data are checked", () => {
  expect(said({})).toEqual([
    "met: Traffic split as planned (p = 0.300)",
    "met: No critical finding in the data",
  ]);
});

test("a critical finding fails, a warning does not", () => {
  const finding = (severity: string) =>
    ({ severity, code: "late-events", detail: "…" }) as Facts["health"][number];
  expect(said({ health: [finding("critical"), finding("warning")] })).toContain(
    "failed: A critical finding in the data",
  );
  expect(said({ health: [finding("critical"), finding("critical")] })).toContain(
    "failed: 2 critical findings in the data",
  );
  expect(said({ health: [finding("warning")] })).toContain("met: No critical finding in the data");
});

test.each([
  [{ decided_on: "2026-11-02", look: 3 }, "met: Decided by plan on 2 Nov 2026 (look 3)"],
  [{}, "open: The plan has not decided yet: 40% of its information"],
  [{ information: 0 }, "open: The plan has not decided yet"],
  [{ looks: "fixed" }, "open: The plan has not decided yet"],
])("the plan %j", (change, words) => {
  expect(said({ decision: decision(change) })[1]).toBe(words);
});

test.each([
  ["ready-to-decide", "met: Decided by plan on 2 Nov 2026 (look 3)"],
  ["better-guardrail-open", "met: Decided by plan on 2 Nov 2026 (look 3)"],
  [
    "no-difference",
    "failed: Decided by plan on 2 Nov 2026 (look 3): nothing is better, and no margin is open",
  ],
  [
    "running",
    "failed: Decided by plan on 2 Nov 2026 (look 3): nothing is better, and a margin is not settled",
  ],
  [
    "mixed",
    "failed: Decided by plan on 2 Nov 2026 (look 3): a is better in one metric and significantly worse in another",
  ],
])("the decision look gave %s", (decided_state, words) => {
  const plan = decision({ decided_on: "2026-11-02", look: 3, decided_state, treatment: "a" });
  expect(said({ decision: plan })[1]).toBe(words);
});

test("a margin with an alarm is failed, and not open too", () => {
  const latency = { metric: "latency", treatment: "a" };
  const alarmed = decision({
    evidence: [margin("latency", "a")],
    open: [{ ...latency, days: 0, labels: null }],
    alarms: [latency],
    losses: [latency],
  });
  expect(said({ decision: alarmed }).slice(2, -1)).toEqual(["failed: latency is worse with a, at any look"]);
});

test("losses of the treatment that the state is about fail; many are counted, not named", () => {
  const losses = [
    { metric: "cost", treatment: "a" },
    { metric: "cost", treatment: "b" },
  ];
  expect(said({ decision: decision({ losses, treatment: "a" }) }).slice(2, -1)).toEqual([
    "failed: cost is significantly worse with a",
  ]);
  const many = Array.from({ length: 9 }, (_, index) => ({ metric: `m${index}`, treatment: "a" }));
  expect(said({ decision: decision({ losses: many }) })).toContain(
    "failed: 9 metrics are significantly worse",
  );
});

test("margins of the treatment that the state is about are met or open; alarms fail", () => {
  const evidence = [
    margin("quality", "a"),
    margin("latency", "a"),
    margin("quality", "b"),
    { ...margin("cost", "a"), kind: "better" },
  ];
  const open = [{ metric: "latency", treatment: "a", days: 4, labels: null }];
  const own = said({ decision: decision({ evidence, open, treatment: "a" }) }).slice(2, -1);
  expect(own).toEqual([
    "met: quality with a is within its margin",
    "open: latency with a needs about 4\u00a0more days",
  ]);
  const all = said({
    decision: decision({ evidence, open, alarms: [{ metric: "errors", treatment: "b" }] }),
  });
  expect(all).toContain("met: quality with b is within its margin");
  expect(all).toContain("failed: errors is worse with b, at any look");
  const ofOther = decision({ treatment: "a", alarms: [{ metric: "errors", treatment: "b" }] });
  expect(said({ decision: ofOther }).join()).not.toContain("errors");
});

test("many margins are counted, not named", () => {
  const evidence = Array.from({ length: 9 }, (_, index) => margin(`m${index}`, "a"));
  const open = evidence.slice(0, 2).map((one) => ({ ...one, days: null, labels: null }));
  expect(said({ decision: decision({ evidence, open }) })).toContain("open: 7 of 9 margins are settled");
  expect(said({ decision: decision({ evidence }) })).toContain("met: 9 of 9 margins are settled");
});
