import { describe, expect, test } from "vitest";
import { nightAlerts, type OpenFact } from "./night-alerts.ts";

const AT = 1_700_000_000_000;
const DAY = "2026-03-01";
const EXPERIMENT = { id: "e1", name: "tone" };
const READY: OpenFact = { type: "experiment.ready", key: "e1 ready-to-decide friendly" };
const SRM: OpenFact = { type: "experiment.srm", key: "e1" };
const CRITICAL: OpenFact = { type: "experiment.health_critical", key: "e1 variant-conflicts" };

interface Given {
  readonly isRunning?: boolean;
  readonly isSplitBroken?: boolean;
  readonly remarks?: readonly ("critical" | "warning")[];
  readonly state?: string | null;
  readonly treatment?: string | null;
}

function night({
  isRunning = true,
  isSplitBroken = false,
  remarks = [],
  state = null,
  treatment = "friendly",
}: Given) {
  return {
    ...{ orgId: "o1", experiment: EXPERIMENT, at: AT, isRunning },
    results: {
      window: { from: null, to: Date.UTC(2026, 2, 2) },
      srm: { status: isSplitBroken ? "halted" : "passed", pValue: 1e-9 },
      health: remarks.map((severity) => ({ code: "variant-conflicts", severity, detail: "A fault." })),
      decision: state === null ? undefined : { state, treatment },
    } as never,
  };
}

const cases: readonly (readonly [
  string,
  Given,
  readonly OpenFact[],
  readonly OpenFact[],
  readonly OpenFact[],
])[] = [
  ["nothing", {}, [], [], []],
  ["an experiment that runs", { state: "running" }, [], [], []],
  ["a lead before the plan decides", { state: "winning" }, [], [], []],
  ["an open margin", { state: "better-guardrail-open" }, [], [], []],
  ["a verdict", { state: "ready-to-decide" }, [], [READY], []],
  ["the same verdict", { state: "ready-to-decide" }, [READY], [], []],
  ["evidence that wavers", { state: "running" }, [READY], [], []],
  [
    "another verdict",
    { state: "losing", treatment: null },
    [READY],
    [{ type: "experiment.ready", key: "e1 losing " }],
    [READY],
  ],
  ["a broken split", { isSplitBroken: true, state: "ready-to-decide" }, [], [SRM], []],
  ["the same broken split, after a verdict", { isSplitBroken: true }, [READY, SRM], [], []],
  ["a broken split with its remarks", { isSplitBroken: true, remarks: ["critical"] }, [], [SRM], []],
  ["a broken split after a critical remark", { isSplitBroken: true }, [CRITICAL], [SRM], []],
  ["a split that is fixed", { state: "running" }, [SRM], [], [SRM]],
  ["a critical remark", { remarks: ["critical"], state: "ready-to-decide" }, [], [CRITICAL], []],
  ["a warning", { remarks: ["warning"] }, [], [], []],
  ["a critical remark that is gone", { remarks: ["warning"] }, [CRITICAL], [], [CRITICAL]],
  [
    "the end of the experiment",
    { isRunning: false, isSplitBroken: true },
    [READY, CRITICAL],
    [],
    [READY, CRITICAL],
  ],
  [
    "facts that no night ends",
    {},
    [
      { type: "experiment.no_traffic", key: "e1 2026-02-01" },
      { type: "experiment.held", key: "e1" },
    ],
    [],
    [],
  ],
];

describe("a night", () => {
  test.each(cases)("with %s", (_name, given, open, raised, ended) => {
    const changes = nightAlerts(night(given), open);
    expect(changes.raised.map(({ type, key }) => ({ type, key }))).toEqual(raised);
    expect(changes.ended).toEqual(ended);
  });

  test("says what it found", () => {
    expect(nightAlerts(night({ state: "ready-to-decide" }), []).raised).toEqual([
      {
        ...{ orgId: "o1", at: AT, ...READY },
        data: { experiment: EXPERIMENT, day: DAY, state: "ready-to-decide", treatment: "friendly" },
      },
    ]);
    const found = [{ isSplitBroken: true }, { remarks: ["critical"] }] as const;
    expect(found.flatMap((given) => nightAlerts(night(given), []).raised)).toEqual([
      { ...{ orgId: "o1", at: AT, ...SRM }, data: { experiment: EXPERIMENT, day: DAY, pValue: 1e-9 } },
      {
        ...{ orgId: "o1", at: AT, ...CRITICAL },
        data: { experiment: EXPERIMENT, day: DAY, code: "variant-conflicts", detail: "A fault." },
      },
    ]);
  });
});
