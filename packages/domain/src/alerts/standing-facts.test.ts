import { expect, test } from "vitest";
import { monthOf } from "../metering/usage-month.ts";
import { DAY_MS, dayOf } from "../time/day.ts";
import { mustHaveTraffic, silenceAlert, unusualKeyAlert, usageAlerts } from "./standing-facts.ts";

const NOW = Date.UTC(2026, 2, 10, 12);
const daysAgo = (days: number) => dayOf(NOW - days * DAY_MS);
const experiment = (status: string, more: object = {}) =>
  ({
    ...{ orgId: "o1", id: "e1", config: { status, name: "tone", unit: "user" } },
    ...{ updatedAt: NOW - DAY_MS, isDemo: false, ...more },
  }) as never;

test.each([
  [79_999, []],
  [80_000, ["usage.80"]],
  [99_999, ["usage.80"]],
  [100_000, ["usage.80", "usage.100"]],
  [250_000, ["usage.80", "usage.100"]],
])("%i of 100,000 events reach %j", (events, types) => {
  const month = monthOf(NOW);
  const alerts = usageAlerts({ orgId: "o1", month, events, allowance: 100_000 }, NOW);
  expect(alerts.map(({ type }) => type)).toEqual(types);
  for (const alert of alerts) {
    const data = { month, events, allowance: 100_000 };
    expect(alert).toEqual({ type: alert.type, orgId: "o1", key: "2026-03 100000", at: NOW, data });
  }
});

test.each([
  ["that runs unchanged for a day", experiment("running"), true],
  ["that is stopped", experiment("stopped"), false],
  ["that was changed within a day", experiment("running", { updatedAt: NOW - DAY_MS + 1 }), false],
  ["that is the demo", experiment("running", { isDemo: true }), false],
])("an experiment %s must have traffic: %#", (_name, given, must) => {
  expect(mustHaveTraffic(given, NOW)).toBe(must);
});

test("a silence and an unusual day are facts of their day", () => {
  expect(silenceAlert(experiment("running"), daysAgo(2), NOW)).toEqual({
    ...{ type: "experiment.no_traffic", orgId: "o1", key: "e1 2026-03-08", at: NOW },
    data: { experiment: { id: "e1", name: "tone" }, lastExposureOn: "2026-03-08" },
  });
  expect(unusualKeyAlert("o1", { day: daysAgo(1), events: 5_000, limit: 1_000 }, NOW)).toEqual({
    ...{ type: "key.unusual", orgId: "o1", key: "2026-03-09", at: NOW },
    data: { day: "2026-03-09", events: 5_000, limit: 1_000 },
  });
});
