import {
  type ArmHealth,
  CHECK_CODES,
  type CheckCode,
  type Finding,
  type ModelCallField,
} from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AT, checkOf, checksOf, found, severities, treated } from "../test-support/health.ts";
import { armHealth, codes, experimentOf, exposure, metric, run } from "../test-support/runs.ts";
import { checkRemarks } from "./checks.ts";
import { configuredModels } from "./facts.ts";

/** The checks of every experiment; the rest are about judges, QA users, traces and runs. */
const COMMON_CODES = CHECK_CODES.filter(
  (code) =>
    !code.startsWith("judge-") &&
    !["qa-users", "lost-traces", "sampled-calls", "runs-left-out", "runs-without-end"].includes(code),
);

test("clean data pass every check that applies", () => {
  const checks = checksOf({});
  expect(checks.map(({ code }) => code)).toEqual(COMMON_CODES);
  expect(severities({})).toEqual(
    Object.fromEntries(
      COMMON_CODES.map((code) => [code, code === "srm-without-test-events" ? "no-data" : "ok"]),
    ),
  );
  expect(checks.every(({ action, since }) => action === null && since === null)).toBe(true);
  expect(checks.find(({ code }) => code === "missing-usage")).toMatchObject({
    detail: "0 of 2,000 completed calls (0%) carry no token usage.",
    value: 0,
    threshold: 0.01,
    arms: { control: { count: 0, of: 1000, share: 0 }, treatment: { count: 0, of: 1000, share: 0 } },
  });
});

test("without any event there is nothing to judge but that nothing was sent that should not be", () => {
  const checks = checksOf({ health: [], exposures: [] });
  expect(checks.filter(({ severity }) => severity !== "no-data").map(({ code }) => code)).toEqual([
    ...["test-events", "mixed-sources", "misspelt-metrics", "superseded-ids"],
  ]);
  expect(checks[0]).toMatchObject({ value: null, detail: "No user has been exposed yet.", action: null });
  expect(checks[0]?.arms).toEqual({
    control: { count: 0, of: 0, share: null },
    treatment: { count: 0, of: 0, share: null },
  });
});

test.each([
  { seen: [], severity: "ok", since: null, detail: "No QA user has sent an event yet, of 3 listed." },
  { seen: [7], severity: "info", since: 7, detail: "1 QA user set apart, of 3 listed: they are in no arm." },
  {
    ...{ seen: [9, 7, 8], severity: "info", since: 7 },
    detail: "3 QA users set apart, of 3 listed: they are in no arm.",
  },
])("QA users are counted, where there are any: $detail", ({ seen, severity, since, detail }) => {
  const qaUsersSeen = new Map(seen.map((at) => [`u${at}`, at]));
  expect(checkOf("qa-users", { qaUsers: ["u7", "u8", "u9"], qaUsersSeen })).toMatchObject({
    ...{ severity, since, detail, value: seen.length, measure: "count", arms: {}, action: null },
  });
});

test("events of users without an exposure are reported and affect no other check", () => {
  const stranger = armHealth("", 0, { events: 40, calls: 40, errors: found(40), late: found(40) });
  const checks = checksOf({ health: [stranger], exposures: [] });
  expect(checks[0]).toMatchObject({ severity: "no-data", detail: expect.stringContaining("40 events") });
  expect(checks[0]?.action).toContain("Send an exposure");
  expect(checks.filter(({ since }) => since !== null)).toEqual([]);
  const { health } = treated({});
  expect(severities({ health: [...health, stranger] })).toMatchObject({
    "error-rate": "ok",
    "late-events": "ok",
  });
});

describe("a run's remarks", () => {
  const reads = (field: ModelCallField) => metric(field, { source: { event: "model_call", field } });

  test("list alarms with their actions, and what was left out", () => {
    const results = run(
      { metrics: [] },
      {
        exposures: [
          exposure("control", 1000, { testUsers: 2, contaminatedUsers: 3 }),
          exposure("treatment", 1000),
        ],
      },
      treated({ variantConflicts: found(1), errors: found(100), truncated: found(1), late: found(900) }),
    );
    expect(results.health.map(({ code, severity }) => [code, severity])).toEqual([
      ["error-rate", "warning"],
      ["users-in-several-variants", "info"],
      ["variant-conflicts", "info"],
      ["test-events", "info"],
    ]);
    expect(results.health[0]?.detail).toContain("chance explains. Look at error_type");
  });

  test.each<{ code: CheckCode; field: ModelCallField; other: ModelCallField; change: Partial<ArmHealth> }>([
    { code: "unpriced-calls", field: "cost_usd", other: "latency_ms", change: { unpriced: found(1) } },
    { code: "missing-usage", field: "output_tokens", other: "cost_usd", change: { missingUsage: found(20) } },
    { code: "cache-hit-gap", field: "latency_ms", other: "error", change: { cachedInputTokens: 0 } },
  ])("name $code only when a metric reads $field", ({ code, field, other, change }) => {
    expect(codes(run({ metrics: [reads(field)] }, {}, treated(change)))).toContain(code);
    expect(codes(run({ metrics: [reads(other)] }, {}, treated(change)))).not.toContain(code);
  });

  test("say what was found, and the action if there is one", () => {
    const check = checkOf("error-rate", treated({ errors: found(100) }));
    const { code, severity, detail, action } = check;
    expect(checkRemarks([check, { ...check, action: null }], [])).toEqual([
      { code, severity, detail: `${detail} ${action}` },
      { code, severity, detail },
    ]);
  });

  test("say how many calls of a cost metric have no price: info below 1%, warning from 1%", () => {
    const severityOf = (count: number) =>
      run({ metrics: [reads("cost_usd")] }, {}, treated({ unpriced: found(count) })).health.find(
        ({ code }) => code === "unpriced-calls",
      );
    expect(severityOf(0)).toBeUndefined();
    expect(severityOf(1)).toMatchObject({ severity: "info", detail: expect.stringContaining("1 of 2,000") });
    expect(severityOf(10)?.severity).toBe("warning");
  });
});

test("a variant's configured model is variables.model, if it is a name", () => {
  const { config } = experimentOf([], ["control", "b", "c", "d"]);
  const models = [{ model: "m-1" }, { model: 5 }, null, { model: "" }];
  const variants = config.variants.map((variant, index) => ({
    ...variant,
    variables: models[index] ?? null,
  }));
  expect(configuredModels({ ...config, variants })).toEqual({ control: "m-1" });
});

test("for any events, every check is listed once, in order, with shares and values in range", () => {
  const finding = (max: number) =>
    fc.nat({ max }).map((count): Finding => ({ count, since: count === 0 ? null : AT }));
  const anyArm = (arm: string) =>
    fc
      .tuple(fc.nat({ max: 3000 }), fc.nat({ max: 3000 }), fc.nat({ max: 3000 }))
      .chain(([users, calls, errors]) => {
        const completedCalls = Math.max(0, calls - errors);
        return fc.record({
          arm: fc.constant(arm),
          users: fc.constant(users),
          events: fc.constant(users + calls),
          calls: fc.constant(calls),
          completedCalls: fc.constant(completedCalls),
          missingUsage: finding(completedCalls),
          unpriced: finding(completedCalls),
          errors: fc.constant<Finding>({
            count: calls - completedCalls,
            since: calls > completedCalls ? AT : null,
          }),
          truncated: finding(completedCalls),
          cutStreams: finding(calls),
          callsWithModel: fc.constant(completedCalls),
          otherModel: finding(completedCalls),
          inputTokens: fc.nat(),
          cachedInputTokens: fc.nat(),
          late: finding(users + calls),
          future: finding(users + calls),
          severalVariants: finding(users),
          variantConflicts: finding(calls),
          testEvents: finding(users),
          models: fc.constant([]),
        });
      });
  const anyExposure = (arm: string) =>
    fc
      .tuple(fc.nat({ max: 3000 }), fc.nat({ max: 3000 }), fc.nat({ max: 3000 }))
      .map(([users, several, tests]) =>
        exposure(arm, users, {
          contaminatedUsers: Math.min(several, users),
          testUsers: Math.min(tests, users),
        }),
      );
  const names = ["control", "treatment", ""];
  fc.assert(
    fc.property(
      fc.tuple(...names.map(anyArm)),
      fc.tuple(...names.slice(0, 2).map(anyExposure)),
      (health, exposures) => {
        const checks = checksOf({ health, exposures });
        expect(checks.map(({ code }) => code)).toEqual(COMMON_CODES);
        for (const { severity, measure, value, action, arms } of checks) {
          expect(value === null).toBe(severity === "no-data");
          if (value !== null && measure !== "count") {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
          if (severity === "ok") expect(action).toBeNull();
          if (severity === "warning" || severity === "critical") expect(action).not.toBeNull();
          for (const { share } of Object.values(arms)) {
            expect(share === null || (share >= 0 && share <= 1)).toBe(true);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
