import { expect, test } from "vitest";
import { SMALLER_UNITS } from "../experiment/unit.ts";
import { monthOf } from "../metering/usage-month.ts";
import { dayOf } from "../time/day.ts";
import { ALERT_TYPES, type AlertData, type AlertMessage, experimentOf, VERDICTS } from "./alert.ts";
import { describeAlert } from "./describe-alert.ts";

const MARCH = Date.UTC(2026, 2, 1);
const experiment = { id: "e1", name: "tone" };
const day = dayOf(MARCH);
const usage = { month: monthOf(MARCH), events: 41_000, allowance: 50_000 };

const ready = (state: AlertData["experiment.ready"]["state"], treatment: string | null): AlertMessage => ({
  ...{ type: "experiment.ready", at: 0 },
  data: { experiment, day, state, treatment },
});

const cases: readonly (readonly [AlertMessage, string, string])[] = [
  [
    ready("ready-to-decide", "friendly"),
    "tone: ready to ship",
    "friendly can be shipped: the decision plan is met. Night of 2026-03-01.",
  ],
  [
    ready("no-difference", null),
    "tone: no difference found",
    "All planned looks are over and no treatment is better. Stop the experiment. Night of 2026-03-01.",
  ],
  [
    ready("mixed", "friendly"),
    "tone: better, but worse elsewhere",
    "friendly is better on a primary metric and worse on another metric. Night of 2026-03-01.",
  ],
  [
    ready("losing", null),
    "tone: losing",
    "A treatment is worse on a primary metric. Consider stopping the experiment. Night of 2026-03-01.",
  ],
  [
    ready("guardrail-failing", "friendly"),
    "tone: a guardrail is failing",
    "A guardrail metric got worse. Check it first. Night of 2026-03-01.",
  ],
  [
    { type: "experiment.srm", at: 0, data: { experiment, day, pValue: 0.000_012_34 } },
    "tone: the traffic split is wrong",
    "The split of the users differs from the allocation (p = 0.000012). Results are withheld until it is fixed. Night of 2026-03-01.",
  ],
  [
    {
      ...{ type: "experiment.health_critical", at: 0 },
      data: { experiment, day, code: "variant-conflicts", detail: "Users conflict." },
    },
    "tone: critical fault in the data",
    "Users conflict. (variant-conflicts, night of 2026-03-01)",
  ],
  [
    { type: "experiment.no_traffic", at: 0, data: { experiment, lastExposureOn: day } },
    "tone: no traffic for 24 hours",
    "It is running, but nobody was exposed in the last 24 hours. The last exposure was on 2026-03-01.",
  ],
  [
    { type: "experiment.held", at: 0, data: { experiment, reason: "A guardrail failed." } },
    "tone: held",
    "A guardrail failed.",
  ],
  [
    { type: "experiment.resumed", at: 0, data: { experiment, reason: "Ann resumed it." } },
    "tone: resumed",
    "Ann resumed it.",
  ],
  [
    { type: "experiment.stage", at: 0, data: { experiment, stage: 2, stages: 4, share: 0.07 } },
    "tone: stage 2 of 4",
    "It now reaches 7% of the users.",
  ],
  [
    {
      ...{ type: "judge.down", at: 0 },
      data: { model: "judge-1", detail: "The judge answers 500.", since: Date.UTC(2026, 2, 1, 4, 5) },
    },
    "The judge gives no scores",
    "judge-1 has given no scores since 2026-03-01T04:05Z. The judge answers 500.",
  ],
  [
    { type: "usage.80", at: 0, data: usage },
    "80% of the monthly event allowance is used",
    "41,000 of 50,000 events were used in 2026-03.",
  ],
  [
    { type: "usage.100", at: 0, data: usage },
    "The monthly event allowance is used up",
    "41,000 of 50,000 events were used in 2026-03. Further events are refused or billed, depending on your plan.",
  ],
  [
    { type: "key.unusual", at: 0, data: { day, events: 12_000, limit: 1_000 } },
    "Unusual use of the publishable key",
    "It sent 12,000 events on 2026-03-01; more than 1,000 is unusual.",
  ],
  [{ type: "test", at: 0, data: { channel: "on call" } }, "Test message", "The alert channel on call works."],
];

test.each(cases)("%o reads well", (message, title, text) => {
  expect(describeAlert(message)).toEqual({ title, text });
});

test.each(SMALLER_UNITS)("messages about an experiment on %ss name them", (unit) => {
  const ofUnits = { ...experiment, unit };
  const text = (message: AlertMessage) => describeAlert(message).text;
  expect(text({ type: "experiment.srm", at: 0, data: { experiment: ofUnits, day, pValue: 0.001 } })).toMatch(
    `The split of the ${unit}s differs`,
  );
  expect(
    text({ type: "experiment.no_traffic", at: 0, data: { experiment: ofUnits, lastExposureOn: day } }),
  ).toMatch(`but no ${unit} was exposed`);
  expect(
    text({ type: "experiment.stage", at: 0, data: { experiment: ofUnits, stage: 1, stages: 2, share: 0.5 } }),
  ).toBe(`It now reaches 50% of the ${unit}s.`);
});

test("the cases hold every type and verdict", () => {
  const types = new Set(cases.map(([{ type }]) => type));
  expect([...types].sort()).toEqual([...ALERT_TYPES, "test"].sort());
  const states = cases.flatMap(([{ data }]) => ("state" in data ? [data.state] : []));
  expect(states.sort()).toEqual([...VERDICTS].sort());
});

test("an experiment's message names it", () => {
  expect(cases.map(([message]) => experimentOf(message)?.id ?? null)).toEqual(
    cases.map(([{ type }]) => (type.startsWith("experiment.") ? "e1" : null)),
  );
});
