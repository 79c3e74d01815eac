import { type ArmHealth, type CheckCode, dayOf, type Finding, NO_ATTRIBUTION_FACTS } from "@assay/domain";
import { smallestExpectedCell, twoProportionZ } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { documented, documentedRow } from "../../../tests/documented.ts";
import { comparablePeriods, toStrata } from "./compare/arm-data.ts";
import { chooseTest } from "./compare/choose-test.ts";
import { isEligible } from "./compare/eligibility.ts";
import { FAULT_SHARE, FAULT_USERS } from "./health/attribution.ts";
import { alarmingGap } from "./health/gap.ts";
import { loadLoggedTraces } from "./health/lost-traces.ts";
import { srmGate } from "./health/srm-gate.ts";
import { MIN_LABELS_PER_ARM } from "./judge/agreement.ts";
import { sums } from "./test-support/arms.ts";
import { AT, checkOf, found, treated } from "./test-support/health.ts";
import { judgedMetric, judgedOf } from "./test-support/judged.ts";
import { armHealth, exposure, metric } from "./test-support/runs.ts";

const expectedCell = (control: readonly [number, number], treatment: readonly [number, number]) => {
  const counts = ([successes, n]: readonly [number, number]) => ({ successes, n });
  return smallestExpectedCell([{ control: counts(control), treatment: counts(treatment) }]);
};

describe("the documented thresholds of a run", () => {
  test("users that an allocation period needs in each arm", () => {
    const least = documented("statistics.md", /periods with fewer than (\d+) users in an arm are left out/);
    const leftOut = (users: number) => {
      const rows = (arm: string) => [
        sums({ metric: "m", arm, period: 0 }, 500),
        sums({ metric: "m", arm, period: 1 }, arm === "control" ? 500 : users),
      ];
      return toStrata({ control: rows("control"), treatment: rows("treatment") }, [[0], [1]]).leftOutUsers;
    };
    expect(leftOut(least)).toBe(0);
    expect(leftOut(least - 1)).toBe(500 + least - 1);
  });

  test("periods are one when their ratios differ only by rounding", () => {
    const groups = (difference: number) => {
      const shares = [0.5, 0.5 + difference].map((treatment) => ({ control: 1 - treatment, treatment }));
      const periods = shares.map((own, startsAt) => ({ startsAt, shares: own }));
      return comparablePeriods(periods, { control: "control", treatment: "treatment" }).length;
    };
    expect(groups(0.9e-9)).toBe(1);
    expect(groups(1.1e-9)).toBe(2);
    // One bucket of a million.
    expect(groups(1e-6)).toBe(2);
  });

  test("the expected cell from which shares are compared by the normal approximation", () => {
    const least = documented("statistics.md", /`fisher_exact` when an expected cell is below (\d+)/);
    const chosen = (smallestExpectedCell: number) =>
      chooseTest(
        { kind: "binary", method: null, methodDefault: "auto" },
        { hasAllValues: true, smallestExpectedCell, strata: 1 },
      );
    expect(chosen(least)).toBe("two_proportion_z");
    expect(chosen(least - 1e-9)).toBe("fisher_exact");
  });

  test("events and users that a nightly row needs in every arm", () => {
    const events = documented("statistics.md", /(\d+) evaluated events of \d+ users in every arm at night/);
    const users = documented("statistics.md", /\d+ evaluated events of (\d+) users in every arm at night/);
    const isEnough = (missing: { users?: number; events?: number }) =>
      isEligible(
        [
          { arm: "control", users: 1_000, events: 1_000 },
          { arm: "treatment", users: users - (missing.users ?? 0), events: events - (missing.events ?? 0) },
        ],
        { kind: "nightly", day: dayOf(AT) },
      );
    expect(isEnough({})).toBe(true);
    expect(isEnough({ users: 1 })).toBe(false);
    expect(isEnough({ events: 1 })).toBe(false);
  });

  test("the p-value of the traffic split below which results are withheld, and the one of a warning", () => {
    const halt = documented("statistics.md", /p < ([\d.]+): the run is stored with its counts/);
    expect(documented("health.md", /critical below ([\d.]+), warning below [\d.]+/)).toBe(halt);
    const warn = documented("health.md", /critical below [\d.]+, warning below ([\d.]+)/);
    const periods = [{ startsAt: 0, shares: { control: 0.5, treatment: 0.5 } }];
    for (let more = 0; more < 120; more++) {
      const exposures = [exposure("control", 1_000 + more), exposure("treatment", 1_000)];
      const { pValue, status } = srmGate(exposures, periods, { seed: 1 });
      expect(status).toBe(pValue < halt ? "halted" : "passed");
      const severity = pValue < halt ? "critical" : pValue < warn ? "warning" : "ok";
      expect(checkOf("srm", { exposures })).toMatchObject({ severity, value: pValue });
    }
  });

  test("labels per arm that correct a judge", () => {
    expect(documented("statistics.md", /From (\d+) labels per arm on/)).toBe(MIN_LABELS_PER_ARM);
    expect(documented("health.md", /Where (\d+) of them in every arm correct/)).toBe(MIN_LABELS_PER_ARM);
  });
});

describe("the documented thresholds of health", () => {
  const shareOf = (code: string) => {
    const [, , alarm = ""] = documentedRow("health.md", `\`${code}\``);
    const percent = /(?:share|gap) [^≥]*≥ ([\d.]+) ?(?:%|points)/.exec(alarm)?.[1];
    if (percent === undefined) throw new Error(`no share in: ${alarm}`);
    return Number(percent) / 100;
  };
  const leastFaulty = documented("health.md", /Fewer than (\d+) faulty events in an arm are no alarm/);

  const shares: readonly [CheckCode, (finding: Finding) => Partial<ArmHealth>, keyof ArmHealth][] = [
    ["missing-usage", (missingUsage) => ({ missingUsage }), "completedCalls"],
    ["unpriced-calls", (unpriced) => ({ unpriced }), "completedCalls"],
    ["error-rate", (errors) => ({ errors }), "calls"],
    ["truncated-answers", (truncated) => ({ truncated }), "completedCalls"],
    ["cut-streams", (cutStreams) => ({ cutStreams }), "calls"],
    ["other-model", (otherModel) => ({ otherModel }), "callsWithModel"],
    ["late-events", (late) => ({ late }), "events"],
    ["future-events", (future) => ({ future }), "events"],
    ["variant-conflicts", (variantConflicts) => ({ variantConflicts }), "events"],
  ];
  /** The same in both arms, so that only the share alarms. */
  const both = (users: number, change: Partial<ArmHealth>) => ({
    health: ["control", "treatment"].map((arm) => armHealth(arm, users, change)),
  });

  test.each(shares)("%s: its share, and at least ten events", (code, change, base) => {
    const threshold = shareOf(code);
    const severityOf = (users: number, count: number) =>
      checkOf(code, both(users, change(found(count)))).severity;
    const large = Number(armHealth("control", 100_000)[base]) * threshold;
    expect(checkOf(code, both(100_000, change(found(1)))).threshold).toBe(threshold);
    expect(severityOf(100_000, large)).toBe("warning");
    expect(severityOf(100_000, large - 1)).toBe("info");
    expect(severityOf(100, leastFaulty)).toBe("warning");
    expect(severityOf(100, leastFaulty - 1)).toBe("info");
  });

  test("lost traces: the p-value, the points of difference, and the users who are read", async () => {
    const code = "lost-traces";
    const [, , alarm = ""] = documentedRow("health.md", `\`${code}\``);
    const [, level] = /critical below ([.\d]+), if the arms differ by at least a point/.exec(alarm) ?? [];
    const least = documented("health.md", /from the first ([\d,]+) users by hash/);
    const call = { type: "model_call", businessMetric: null, source: "otlp", events: 1, users: 1 } as const;
    const outcomes = [{ ...call, usersBeforeExposure: 0, usersWithoutExposure: 0 }];
    const metrics = [metric("m", { source: { event: "model_call", field: "latency_ms" } })];
    const users = (arm: string, losers: number, lost: number) =>
      Array.from({ length: 1_000 }, (_, i) => ({ arm, period: 0, traces: 10, lost: i < losers ? lost : 0 }));
    const found = (losers: number, lost: number) => {
      const loggedTraces = [...users("control", 100, lost), ...users("treatment", losers, lost)];
      return checkOf(code, { metrics, attribution: { outcomes }, loggedTraces });
    };
    for (let more = 40; more < 60; more++) {
      const { severity, value } = found(100 + more, 10);
      expect(severity).toBe((value ?? 1) < Number(level) ? "critical" : "ok");
    }
    // 100 users of 1,000 with a trace in ten more are one point.
    expect([found(200, 1).severity, found(199, 1).severity]).toEqual(["critical", "ok"]);
    const query = {
      orgId: "o",
      experimentId: "e",
      unit: "user",
      exclusions: [],
      until: AT,
      periodStarts: [],
    } as const;
    const read = new Promise((resolve) =>
      loadLoggedTraces({ ...NO_ATTRIBUTION_FACTS, outcomes }, query, {
        async loadLoggedTraces({ maxUsers, evaluatedUntil }) {
          resolve([maxUsers, query.until - evaluatedUntil]);
          return [];
        },
      }),
    );
    expect(await read).toEqual([least, 3_600_000]);
  });

  test("users in several variants: their share, and at least ten of them", () => {
    const code = "users-in-several-variants";
    const least = documented("health.md", /share of all users ≥ 1% and (\d+) users/);
    const severityOf = (users: number, several: number) =>
      checkOf(code, {
        exposures: ["control", "treatment"].map((arm) =>
          exposure(arm, users, { contaminatedUsers: several / 2 }),
        ),
      }).severity;
    const share = shareOf(code);
    expect(severityOf(10_000, 20_000 * share)).toBe("warning");
    expect(severityOf(10_000, 20_000 * share - 2)).toBe("info");
    expect(severityOf(100, least)).toBe("warning");
    expect(severityOf(100, least - 2)).toBe("info");
  });

  test.each(["assignment-conflicts", "ineligible-exposures", "outcomes-before-exposure", "misspelt-metrics"])(
    "%s: the users from whom on a fault stops decisions",
    (code) => {
      const [, , alarm = ""] = documentedRow("health.md", `\`${code}\``);
      const [, percent, users] = /(\d+)% of the users and (\d+) of them/.exec(alarm) ?? [];
      expect([Number(percent) / 100, Number(users)]).toEqual([FAULT_SHARE, FAULT_USERS]);
    },
  );

  test("users against the map, as the page about attribution says", () => {
    const share = documented("attribution.md", /From (\d+)% of the users on, and at least \d+,/);
    const users = documented("attribution.md", /From \d+% of the users on, and at least (\d+),/);
    expect([share / 100, users]).toEqual([FAULT_SHARE, FAULT_USERS]);
  });

  test("cache hits: points of difference, and completed calls per arm", () => {
    const gap = shareOf("cache-hit-gap");
    const least = documented("health.md", /gap ≥ 10 points, from (\d+) completed calls per arm on/);
    const severityOf = (points: number, completedCalls: number) =>
      checkOf(
        "cache-hit-gap",
        treated({ cachedInputTokens: 100_000 * points, completedCalls }, { cachedInputTokens: 0 }),
      ).severity;
    expect(severityOf(gap, least)).toBe("warning");
    expect(severityOf(gap - 1e-5, least)).toBe("ok");
    expect(severityOf(gap, least - 1)).toBe("info");
  });

  test("the expected cell from which arms are compared by the normal approximation", () => {
    const least = documented("health.md", /Fisher's exact test where an expected cell is below (\d+)/);
    const gapOf = (control: readonly [number, number], treatment: readonly [number, number]) => {
      const share = ([count, of]: readonly [number, number]) => ({ count, of, share: count / of });
      const arms = { control: share(control), treatment: share(treatment) };
      return alarmingGap("control", arms, () => Number.POSITIVE_INFINITY);
    };
    // For both pairs, the normal p-value is below .001 and Fisher's above. So the alarm shows which test ran.
    expect(expectedCell([3, 100], [17, 100])).toBe(least);
    expect(gapOf([3, 100], [17, 100])).not.toBeNull();
    expect(expectedCell([18, 100], [11, 200])).toBeLessThan(least);
    expect(gapOf([18, 100], [11, 200])).toBeNull();
  });

  test("the p-value of a gap between arms", () => {
    const pValues: number[] = [];
    const users = 2_000;
    for (let more = 40; more < 120; more++) {
      const [control, treatment] = [200, 200 + more].map((count) => ({
        count,
        of: users,
        share: count / users,
      }));
      const counts = [control!, treatment!].map(({ count }) => ({ successes: count, n: users }));
      const p = twoProportionZ([{ control: counts[0]!, treatment: counts[1]! }])!.pValue;
      const gap = alarmingGap("control", { control: control!, treatment: treatment! }, () => users);
      expect(gap === null).toBe(p >= 0.001);
      pValues.push(p);
    }
    expect(pValues.some((p) => p >= 0.0008 && p < 0.001)).toBe(true);
    expect(pValues.some((p) => p >= 0.001 && p < 0.0012)).toBe(true);
  });

  test("the backlog of a judge: its share and its age; failures of a judge: their share", () => {
    const hours = documented("health.md", /the first waiting for (\d+) hours/);
    const metrics = [judgedMetric()];
    const none = { pending: 0, scored: 0, failed: 0, labels: 0 };
    const severityOf = (code: CheckCode, own: Partial<typeof none>, oldest: number) => {
      const arm = { ...none, ...own };
      const summary = { arms: { control: arm, treatment: arm }, oldestPendingAt: AT - oldest * 3_600_000 };
      return checkOf(code, { metrics, judged: [judgedOf([], summary)] }).severity;
    };
    const waiting = (pending: number, oldest: number) =>
      severityOf("judge-backlog", { pending, scored: 1_000 - pending }, oldest);
    const backlog = 1_000 * shareOf("judge-backlog");
    expect(waiting(backlog, hours)).toBe("warning");
    expect(waiting(backlog - 1, hours)).toBe("info");
    expect(waiting(backlog, hours - 0.001)).toBe("info");
    const failing = (failed: number) => severityOf("judge-failures", { failed, scored: 1_000 - failed }, 0);
    expect(failing(1_000 * shareOf("judge-failures"))).toBe("warning");
    expect(failing(1_000 * shareOf("judge-failures") - 1)).toBe("info");
  });
});
