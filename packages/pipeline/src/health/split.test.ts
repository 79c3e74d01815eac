import { type Day, startOfDay } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { AT, checkOf, found, severities, treated } from "../test-support/health.ts";
import { exposure } from "../test-support/runs.ts";

describe("the traffic split", () => {
  const split = (control: number, treatment: number, testUsers = 0) => ({
    exposures: [exposure("control", control, { testUsers }), exposure("treatment", treatment)],
  });

  test.each([
    { name: "fits", control: 1000, treatment: 1100, severity: "ok" },
    { name: "leans", control: 1000, treatment: 1128, severity: "warning" },
    { name: "is broken", control: 1000, treatment: 1200, severity: "critical" },
  ])("that $name is $severity", ({ control, treatment, severity }) => {
    const check = checkOf("srm", split(control, treatment));
    expect(check).toMatchObject({ severity, measure: "p_value", threshold: 0.001 });
    expect(check.since === null).toBe(severity === "ok");
    expect(check.action === null).toBe(severity === "ok");
    expect(check.arms.control).toEqual({
      count: control,
      of: control + treatment,
      share: control / (control + treatment),
    });
  });

  test("is off since the first day after which it never fit again", () => {
    const days = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"] as Day[];
    const arm = (name: string, users: readonly number[]) => {
      const usersByDay = new Map(days.map((day, index) => [day, users[index] ?? 0]));
      return exposure(
        name,
        users.reduce((total, count) => total + count, 0),
        { usersByDay },
      );
    };
    // Off on the first day, fixed on the second, off again from the third on.
    const exposures = [arm("control", [100, 300, 200, 300]), arm("treatment", [200, 200, 400, 300])];
    expect(checkOf("srm", { exposures })).toMatchObject({
      severity: "critical",
      since: startOfDay("2026-11-03" as Day),
    });
  });

  test("of a single arm fits", () => {
    expect(checkOf("srm", { arms: ["control"] })).toMatchObject({ severity: "ok", value: 1 });
  });

  test("is also checked without test users, which never withholds results", () => {
    const hidden = split(1200, 1200, 200);
    expect(severities(hidden)).toMatchObject({
      srm: "ok",
      "srm-without-test-events": "warning",
      "test-events": "info",
    });
    expect(checkOf("srm-without-test-events", hidden).arms.control?.count).toBe(1000);
    expect(checkOf("srm-without-test-events", hidden).detail).toBe(
      "Without 200 test users, the traffic split has p = 0.000020, with them 1.0.",
    );
    expect(checkOf("test-events", hidden).detail).toBe(
      "200 test users count in the traffic split; without them its p-value is 0.000020.",
    );
    expect(checkOf("srm", hidden).detail).toBe("The traffic split fits the allocation (p = 1.0).");
    const caused = split(1200, 1000, 200);
    expect(severities(caused)).toMatchObject({ srm: "critical", "srm-without-test-events": "ok" });
  });

  test("since is the first test user's exposure", () => {
    const { health } = treated({}, { testEvents: found(7) });
    expect(checkOf("test-events", { ...split(1003, 1000, 3), health })).toMatchObject({
      severity: "info",
      measure: "count",
      value: 3,
      threshold: 1,
      since: AT,
      arms: { control: { count: 3, of: 1003, share: 3 / 1003 } },
    });
  });
});

describe("users in several variants", () => {
  const several = (control: number, treatment: number) => ({
    ...treated({ severalVariants: found(treatment) }),
    exposures: [
      exposure("control", 1000, { contaminatedUsers: control }),
      exposure("treatment", 1000, { contaminatedUsers: treatment }),
    ],
  });

  test.each([
    { name: "none", data: several(0, 0), severity: "ok", value: 0 },
    { name: "few", data: several(9, 10), severity: "info", value: 0.0095 },
    { name: "1%", data: several(10, 10), severity: "warning", value: 0.01 },
  ])("$name: $severity", ({ data, severity, value }) => {
    expect(checkOf("users-in-several-variants", data)).toMatchObject({
      severity,
      value,
      since: AT,
      measure: "share",
    });
  });

  test.each([
    {
      unit: "user",
      action:
        "Use one id per user everywhere, before and after sign-in, and let only assign choose variants.",
    },
    {
      unit: "conversation",
      action: "Use one id per conversation everywhere, and let only assign choose variants.",
    },
  ] as const)("ask for one id per $unit", ({ unit, action }) => {
    expect(checkOf("users-in-several-variants", { ...several(10, 10), unit })).toMatchObject({ action });
  });

  test("fewer than ten never alarm", () => {
    const exposures = [exposure("control", 50, { contaminatedUsers: 9 }), exposure("treatment", 50)];
    expect(checkOf("users-in-several-variants", { exposures }).severity).toBe("info");
  });

  test("are not blamed for a split that is broken with them", () => {
    const exposures = [exposure("control", 1300, { contaminatedUsers: 5 }), exposure("treatment", 1000)];
    expect(checkOf("users-in-several-variants", { exposures })).toMatchObject({
      severity: "info",
      measure: "share",
    });
  });

  test("are a bias when leaving them out breaks a split that was fine", () => {
    const check = checkOf("users-in-several-variants", several(0, 200));
    expect(check).toMatchObject({ severity: "warning", measure: "p_value", threshold: 0.001 });
    expect(check.value).toBeLessThan(0.001);
    expect(check.detail).toContain("200 of 2,000 users (10%)");
  });
});
