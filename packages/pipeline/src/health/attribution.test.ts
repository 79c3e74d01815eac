import type { AttributionFacts, ExposedUsers, IneligibleExposures, OutcomeSource } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { checkOf, type HealthData } from "../test-support/health.ts";
import { metric } from "../test-support/runs.ts";
import { FAULT_SHARE, FAULT_USERS } from "./attribution.ts";

const users = (
  variant: string,
  assignedVariant: string | null,
  count: number,
  from: Partial<ExposedUsers> = {},
) =>
  ({ variant, assignedVariant, users: count, source: "publishable", client: null, ...from }) as ExposedUsers;
const facts = (attribution: Partial<AttributionFacts>): HealthData => ({ attribution });
const outcome = (
  businessMetric: string,
  count: number,
  change: Partial<OutcomeSource> = {},
): OutcomeSource => ({
  ...{ type: "business_event", businessMetric, source: "secret", events: count, users: count },
  usersBeforeExposure: 0,
  usersWithoutExposure: 0,
  ...change,
});
const sale = metric("sale", { source: { event: "business_event", businessMetric: "sale" } });

test("a fault stops decisions from 1% of the users, and at least 5 of them", () => {
  expect([FAULT_SHARE, FAULT_USERS]).toEqual([0.01, 5]);
});

describe("exposures against the bucket map", () => {
  const conflicts = (count: number, of: number) =>
    checkOf(
      "assignment-conflicts",
      facts({
        firstExposures: [users("control", "control", of - count), users("control", "treatment", count)],
      }),
    );

  test.each([
    { count: 0, of: 1000, severity: "ok" },
    { count: 1, of: 1000, severity: "info" },
    { count: 9, of: 1000, severity: "info" },
    { count: 10, of: 1000, severity: "critical" },
    { count: 4, of: 100, severity: "info" },
    { count: 5, of: 100, severity: "critical" },
  ])("$count of $of users are $severity", ({ count, of, severity }) => {
    expect(conflicts(count, of)).toMatchObject({
      ...{ severity, value: count / of },
      arms: { control: { count, of, share: count / of } },
    });
  });

  test("name the only sender, and nothing else", () => {
    expect(conflicts(1, 1_000).detail).toBe(
      "1 of 1,000 users (0.1%) were exposed to another variant than the bucket map gives them: 1 by publishable without a client library.",
    );
  });

  test("name who sent them", () => {
    const { detail } = checkOf(
      "assignment-conflicts",
      facts({
        firstExposures: [
          users("control", "control", 900),
          users("control", null, 40, { client: "assay-python/1.0.0" }),
          users("treatment", "control", 60, { client: "assay-python/1.0.0" }),
          users("treatment", "control", 50, { source: "secret" }),
          users("treatment", "control", 2, { client: "assay-java/1.0.0" }),
          users("treatment", "control", 1, { client: "assay-java/1.0.1" }),
        ],
      }),
    );
    expect(detail).toContain(
      "100 by assay-python/1.0.0, 50 by secret without a client library, 2 by assay-java/1.0.0, and 1 more senders",
    );
    expect(detail).not.toContain("swapped");
  });

  test("report swapped arms when nearly everybody was in the other arm", () => {
    const swapped = checkOf(
      "assignment-conflicts",
      facts({ firstExposures: [users("control", "treatment", 450), users("treatment", "control", 450)] }),
    );
    expect(swapped.detail).toContain("The arms are swapped: control and treatment.");
    const three = checkOf(
      "assignment-conflicts",
      facts({ firstExposures: [users("a", "b", 300), users("b", "c", 300), users("c", null, 300)] }),
    );
    expect(three.detail).not.toContain("swapped");
    const nearly = (right: number) =>
      checkOf(
        "assignment-conflicts",
        facts({
          firstExposures: [users("control", "control", right), users("control", "treatment", 1000 - right)],
        }),
      ).detail.includes("swapped");
    expect([nearly(100), nearly(101)]).toEqual([true, false]);
  });

  test("of imported history suggest that another system assigned it", () => {
    const imported = users("control", "treatment", 50, { source: "import" });
    const actionOf = (...more: readonly ExposedUsers[]) =>
      checkOf("assignment-conflicts", facts({ firstExposures: [imported, ...more] })).action;
    expect(actionOf()).toContain('"external"');
    expect(actionOf(users("control", "treatment", 1))).not.toContain('"external"');
  });

  test("are not compared when the sender is unknown, or another system assigns", () => {
    const old = [users("control", null, 1000, { source: null })];
    expect(checkOf("assignment-conflicts", facts({ firstExposures: old }))).toMatchObject({
      severity: "no-data",
      value: null,
    });
    const other = { firstExposures: [users("control", "treatment", 1000)] };
    expect(checkOf("assignment-conflicts", { attribution: other, assignment: "external" })).toMatchObject({
      severity: "no-data",
      detail: expect.stringMatching(/^Another system assigns .*external/),
    });
    const flagged = { assignment: "external", flagKey: "tone" } as const;
    expect(checkOf("assignment-conflicts", { attribution: other, ...flagged }).detail).toContain(
      'The flag "tone" of another system assigns variants',
    );
  });
});

describe("exposures that count for no arm", () => {
  const set = (reason: IneligibleExposures["reason"], count: number, variant: string | null = null) =>
    ({ reason, variant, users: count, exposures: count, since: 7 }) as const;
  const check = (ineligible: readonly IneligibleExposures[], strayUsers = 0) =>
    checkOf("ineligible-exposures", { attribution: { ineligible }, strayUsers });

  test("are counted by reason", () => {
    const found = check([
      ...[set("not-started", 1), set("stopped", 2), set("disabled", 3, "treatment")],
      ...[set("uncovered", 4), set("stray", 5, "parked")],
    ]);
    expect(found).toMatchObject({ severity: "info", value: 15 / 2015, since: 7 });
    expect(found.detail).toBe(
      "Exposures of 15 users count for no arm: 1 before the experiment started, 2 while it was stopped, 3 while their variant was switched off, 4 outside the experiment's coverage, 5 in a variant that had no share of the users.",
    );
    expect(found.arms.treatment).toMatchObject({ count: 3 });
  });

  test("are a fault only if they name a variant without a share", () => {
    expect(check([set("stopped", 5000)])).toMatchObject({ severity: "info", action: null });
    expect(check([set("stray", 50)]).severity).toBe("critical");
    expect(check([], 50)).toMatchObject({
      severity: "critical",
      detail: expect.stringContaining("50 in a variant"),
    });
    expect(check([]).severity).toBe("ok");
  });
});

describe("outcomes before the exposure", () => {
  const early = (change: Partial<OutcomeSource>) =>
    checkOf(
      "outcomes-before-exposure",
      facts({
        outcomes: [outcome("sale", 100, change)],
        firstExposures: [users("control", "control", 1000)],
      }),
    );

  test("are a fault for model calls, which must follow an exposure, and a warning for others", () => {
    expect(early({ type: "model_call", usersBeforeExposure: 10 }).severity).toBe("critical");
    expect(early({ type: "model_call", usersBeforeExposure: 9 }).severity).toBe("info");
    expect(early({ usersBeforeExposure: 10 }).severity).toBe("warning");
    expect(early({ usersBeforeExposure: 9 }).severity).toBe("info");
    expect(early({}).severity).toBe("ok");
  });

  test("of users who were never exposed are a warning about the users' ids", () => {
    const latency = metric("latency", { source: { event: "model_call", field: "latency_ms" } });
    const strange = (count: number, of: number, change: Partial<OutcomeSource> = {}) =>
      checkOf("outcomes-before-exposure", {
        metrics: [sale, latency],
        attribution: { outcomes: [outcome("sale", of, { usersWithoutExposure: count, ...change })] },
      });
    const found = strange(5, 5);
    expect([found.severity, found.detail]).toEqual([
      "warning",
      "None of the 5 users with outcomes of sale was exposed, so none of them count.",
    ]);
    expect(found.action).toMatch(/^Send the same user_id/);
    const turns = metric("turns", { source: { event: "run", field: "turns" } });
    const usersBy = { usersWithoutExposure: 5, businessMetric: null };
    const ofRuns = checkOf("outcomes-before-exposure", {
      metrics: [turns],
      attribution: {
        outcomes: [outcome("sale", 9, usersBy), outcome("x", 5, { ...usersBy, type: "tool_call" })],
      },
    });
    expect(ofRuns.detail).toBe("None of the 5 users with calls was exposed, so none of them count.");
    expect(strange(5, 5, { type: "model_call", businessMetric: null }).detail).toBe(
      "None of the 5 users with model calls was exposed, so none of them count.",
    );
    expect(strange(4, 4).severity).toBe("ok");
    // Outcomes of a whole shop include people who never saw the experiment.
    expect(strange(499, 500).severity).toBe("ok");
    expect(strange(5, 5, { businessMetric: "another" }).severity).toBe("ok");
    expect(strange(5, 9, { usersBeforeExposure: 4 }).detail).toMatch(/came before their first exposure/);
  });
});

describe("a metric's senders", () => {
  const check = (outcomes: readonly OutcomeSource[], acceptFrom: OutcomeSource["source"][] | null = null) =>
    checkOf("mixed-sources", {
      metrics: [{ ...sale, acceptFrom: acceptFrom as never }],
      attribution: { outcomes },
    });

  test("of both kinds are a warning until the metric sets accept_from", () => {
    const both = [outcome("sale", 5), outcome("sale", 70, { source: "publishable" })];
    expect(check(both)).toMatchObject({
      severity: "warning",
      value: 1,
      detail: expect.stringContaining("sale:"),
      metrics: ["sale"],
    });
    expect(check(both, ["secret"])).toEqual({
      ...check([]),
      severity: "info",
      detail: "Left out, because accept_from does not list their source: 70 events of sale.",
    });
  });

  test("of both kinds for one metric are a warning that also lists what another metric leaves out", () => {
    const refund = metric("refund", { source: { event: "business_event", businessMetric: "refund" } });
    const outcomes = ["sale", "refund"].flatMap((name) => [
      outcome(name, 5),
      outcome(name, 70, { source: "publishable" }),
    ]);
    const { severity, detail, metrics } = checkOf("mixed-sources", {
      metrics: [sale, { ...refund, acceptFrom: ["secret"] }],
      attribution: { outcomes },
    });
    expect([severity, metrics]).toEqual(["warning", ["sale"]]);
    expect(detail).toMatch(/^sale: .* Left out, .*: 70 events of refund\.$/);
  });

  test("of one kind are accepted, and so are those of other metrics", () => {
    expect(check([outcome("sale", 5), outcome("sale", 5, { source: "signed" })]).severity).toBe("ok");
    expect(check([outcome("sale", 5), outcome("other", 5, { source: "publishable" })]).severity).toBe("ok");
    expect(check([outcome("sale", 5), outcome("sale", 5, { source: null })]).severity).toBe("ok");
    expect(check([outcome("sale", 5)], ["secret"]).severity).toBe("ok");
  });

  test("that are unknown are left out of a metric that names its sources", () => {
    expect(check([outcome("sale", 3, { source: null })], ["secret"]).detail).toContain("3 events of sale");
  });

  test("of model calls are ignored: both kinds of keys send them", () => {
    const latency = metric("latency", { source: { event: "model_call", field: "latency_ms" } });
    const calls = (["secret", "publishable"] as const).map((source) =>
      outcome("", 5, { type: "model_call", businessMetric: null, source }),
    );
    expect(checkOf("mixed-sources", { metrics: [latency], attribution: { outcomes: calls } }).severity).toBe(
      "ok",
    );
  });
});

describe("names of business metrics", () => {
  const check = (...outcomes: readonly OutcomeSource[]) =>
    checkOf("misspelt-metrics", { metrics: [sale], attribution: { outcomes } });

  test.each(["Sale", "sales", "sa-le", "SALE!"])("%s may be a misspelling of sale", (name) => {
    expect(check(outcome("sale", 900), outcome(name, 30))).toMatchObject({
      severity: "critical",
      value: 1,
      detail: expect.stringContaining(`"${name}" (30 users) for "sale"`),
    });
    expect(check(outcome(name, 3)).severity).toBe("info");
  });

  test("that are very different are other metrics", () => {
    expect(check(outcome("sale", 900), outcome("refund", 300))).toMatchObject({ severity: "ok", value: 0 });
  });

  test("that nobody reports are listed", () => {
    expect(check(outcome("refund", 300))).toMatchObject({
      severity: "info",
      detail: "Nobody has reported sale yet.",
    });
  });
});

test("ids that both kinds of senders used are counted", () => {
  expect(checkOf("superseded-ids", facts({ supersededIds: 3 }))).toMatchObject({
    severity: "info",
    value: 3,
    detail: expect.stringContaining("only the trusted events count"),
    threshold: 1,
  });
  expect(checkOf("superseded-ids", facts({ supersededIds: 1 })).detail).toMatch(/^1 event ids were used by/);
  expect(checkOf("superseded-ids", facts({ supersededIds: 0 }))).toMatchObject({
    ...{ severity: "ok", detail: expect.stringMatching(/^No event id/), action: null },
  });
});
