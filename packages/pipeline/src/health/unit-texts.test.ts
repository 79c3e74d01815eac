import { EXPERIMENT_UNITS, type ExperimentUnit, UNIT_WORDS } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { collectingEntry } from "../compare/eligibility.ts";
import { planNotes } from "../plan/plan-notes.ts";
import { degenerateEntry, leftOutEntry, notJudgedEntry, unreportedEntry } from "../run/metric-health.ts";
import { sampledEntry } from "../run/sampling-health.ts";
import { checkOf, type HealthData } from "../test-support/health.ts";
import { experimentOf, exposure, metric, nightly, run } from "../test-support/runs.ts";

const OF_USERS = { user: "", conversation: " of 400 users", run: " of 400 users" } as const;

/** Fills in a text's words of the unit. */
function textFor(unit: ExperimentUnit, template: string): string {
  const { one, many } = UNIT_WORDS[unit];
  return template
    .replaceAll("{one}", one)
    .replaceAll("{many}", many)
    .replaceAll("{of users}", OF_USERS[unit]);
}

const UNITS = EXPERIMENT_UNITS.map((unit) => ({
  unit,
  data: { unit, ...(unit !== "user" && { clusters: 400 }) } satisfies HealthData,
}));

const uneven = [exposure("control", 1_200), exposure("treatment", 1_000)];
const contaminated = [exposure("control", 1_000, { contaminatedUsers: 30 }), exposure("treatment", 1_000)];
const nobody = { exposures: [exposure("control", 0), exposure("treatment", 0)] };
const wrong = { variant: "control", assignedVariant: "treatment", source: "import", client: null } as const;
const business = { type: "business_event", businessMetric: "bougt", source: "secret", events: 20 } as const;
const bought = metric("bought", { source: { event: "business_event", businessMetric: "bought" } });
const outcome = { users: 20, usersBeforeExposure: 20, usersWithoutExposure: 0 } as const;

describe.each(UNITS)("the texts of an experiment whose unit is the $unit", ({ unit, data }) => {
  test.each<[string, Parameters<typeof checkOf>[0], HealthData, string]>([
    ["nobody", "srm", nobody, "No {one} has been exposed yet."],
    ["nobody", "users-in-several-variants", nobody, "No {one} has been exposed yet."],
    [
      "nobody",
      "ineligible-exposures",
      { ...nobody, attribution: { firstExposures: [] } },
      "No {one} is exposed yet.",
    ],
    [
      "a wrong split",
      "srm",
      { exposures: uneven },
      "control has 54.5% of the {many}, expected 50%; treatment has 45.5% of the {many}, expected 50%",
    ],
    [
      "several variants",
      "users-in-several-variants",
      { exposures: contaminated },
      "30 of 2,000 {many}{of users} (1.5%) were seen in more than one variant and are left out of every metric.",
    ],
    [
      "conflicts",
      "assignment-conflicts",
      { attribution: { firstExposures: [{ ...wrong, users: 50 }] } },
      "50 of 50 {many}{of users} (100%) were exposed to another variant than the bucket map gives them",
    ],
    [
      "strays",
      "ineligible-exposures",
      { strayUsers: 7 },
      "Exposures of 7 {many} count for no arm: 7 in a variant that had no share of the {many}.",
    ],
    [
      "early outcomes",
      "outcomes-before-exposure",
      { attribution: { outcomes: [{ ...business, ...outcome }] } },
      "All model calls of 0 {many}, and all outcomes of one metric of 20 {many}, came before their first exposure and do not count.",
    ],
    [
      "strangers",
      "outcomes-before-exposure",
      {
        metrics: [bought],
        attribution: {
          outcomes: [
            {
              ...business,
              ...outcome,
              businessMetric: "bought",
              usersBeforeExposure: 0,
              usersWithoutExposure: 20,
            },
          ],
        },
      },
      "None of the 20 {many} with outcomes of bought was exposed, so none of them count.",
    ],
    [
      "misspelt names",
      "misspelt-metrics",
      { metrics: [bought], attribution: { outcomes: [{ ...business, ...outcome }] } },
      'perhaps by mistake: "bougt" (20 {many}) for "bought".',
    ],
    [
      "samples",
      "sampled-calls",
      {
        sampling: ["control", "treatment"].map((arm) => ({
          ...{ arm, users: 1_000, sampledUsers: 500, calls: 1_000, sampledCalls: 900, weight: 9_000 },
          ...{ smallestWeight: 1, largestWeight: 10 },
        })),
      },
      "1,000 of 2,000 {many}{of users} have their first exposure on a sampled span: {many} of",
    ],
  ])("say of %s in %s what is counted", (_, code, given, text) => {
    expect(checkOf(code, { ...given, ...data }).detail).toContain(textFor(unit, text));
  });

  test("say so of what samplers may have lost", () => {
    const sampling = ["control", "treatment"].map((arm, i) => ({
      ...{ arm, users: 1_000, sampledUsers: 500, calls: 1_000, sampledCalls: 900, weight: 9_000 },
      ...{ smallestWeight: 2 + i, largestWeight: 2 + i },
    }));
    const { action } = checkOf("sampled-calls", { ...data, sampling });
    const who = unit === "user" ? "who" : "that";
    expect(action).toContain(textFor(unit, `but not for {many} ${who} are missing`));
    expect(action).toContain(textFor(unit, "every {one} then counts"));
  });

  test("say so of test users", () => {
    const exposures = [exposure("control", 1_000, { testUsers: 3 }), exposure("treatment", 1_000)];
    const own = unit === "user" ? "3 test users" : `3 ${UNIT_WORDS[unit].many} of test users`;
    const given = { ...data, exposures };
    expect(checkOf("test-events", given).detail).toContain(`${own} count in the traffic split`);
    expect(checkOf("srm-without-test-events", given).detail).toContain(`Without ${own}, the traffic split`);
  });

  test("say so of metrics without a row", () => {
    const m = metric("m");
    const texts = [
      degenerateEntry(m, "treatment", unit),
      unreportedEntry(m, { event: "model_call", field: "latency_ms" }, unit),
      leftOutEntry(m, "treatment", { strata: [], leftOutUsers: 4, unit })[0]!,
      sampledEntry({ ...m, kind: "binary" }, { largest: 2 }, unit),
      sampledEntry({ ...m, kind: "mean" }, { largest: 2 }, unit),
      sampledEntry({ ...m, kind: "ordinal" }, { largest: 2 }, unit),
    ].map(({ detail }) => detail);
    const who = unit === "user" ? "who" : "that";
    const expected = [
      "no {many} came to both",
      "no {one} has a value of it",
      `leaves out 4 {many} ${who} came`,
      "whether a {one} has any",
      "a {one}'s sum",
      "likelier for {many} with many",
    ].map((text) => expect.stringContaining(textFor(unit, text)));
    expect(texts).toEqual(expected);
    const arms = { control: { pending: 0, scored: 1, failed: 0 } };
    const judged = metric("m", { source: { event: "judge" } });
    const summary = { arms } as unknown as Parameters<typeof notJudgedEntry>[1];
    const judge = { rubric: "r", scale: "1-5" } as unknown as NonNullable<typeof judged.judge>;
    expect(notJudgedEntry({ ...judged, judge }, summary, unit).detail).toContain(
      textFor(unit, `no judged call is of a {one} ${who} counts.`),
    );
  });

  test("say so of judged metrics that still collect", () => {
    const judged = metric("m", { source: { event: "judge" } });
    const counts = [{ arm: "control", users: 80, events: 9, ...(unit !== "user" && { clusters: 30 }) }];
    expect(collectingEntry(judged, counts, { label: nightly, unit }).detail).toContain(
      "Every arm needs 200 judged calls of 20 users.",
    );
  });

  test("say users beside units in what still collects", () => {
    const counts = [{ arm: "control", users: 80, events: 9, ...(unit !== "user" && { clusters: 30 }) }];
    const found = {
      user: "80 users",
      conversation: "80 conversations of 30 users",
      run: "80 runs of 30 users",
    };
    expect(collectingEntry(metric("m"), counts, { label: nightly, unit }).detail).toBe(
      `m is collecting: control 9 events of ${found[unit]}. Every arm needs 200 evaluated events of 20 users.`,
    );
  });

  test("say so of a plan", () => {
    const baseline = { value: 2, sd: 1, source: "history" } as const;
    const facts = { baseline, relative: 0.1, unit };
    const { one, many } = UNIT_WORDS[unit];
    const notes = [
      ...planNotes(metric("m", { kind: "ratio", windowDays: 7 }), facts),
      ...planNotes(metric("m"), { ...facts, baseline: null }),
      ...planNotes(metric("m", { kind: "ordinal" }), facts),
    ].join(" ");
    for (const text of [
      `${many} differ in their calls`,
      `Each ${one} counts after 7 days`,
      `<of one ${one}>`,
      `that a ${one} of the treatment`,
    ])
      expect(notes).toContain(text);
  });

  test("say so of a run's own remarks", () => {
    const { one } = UNIT_WORDS[unit];
    const experiment = experimentOf([]);
    const config = { ...experiment.config, unit };
    const { health } = run(
      { metrics: [] },
      {
        exposures: [exposure("control", 1_000, { heavyUsers: 2 }), exposure("treatment", 1_000)],
        droppedPreExposure: 900,
      },
      { experiment: { ...experiment, config } },
    );
    expect(health.find(({ code }) => code === "heavy-users")?.detail).toContain(`2 ${one}(s) make`);
    const dropped = health.find(({ code }) => code === "dropped-pre-exposure")?.detail;
    expect(dropped).toContain(`before the ${one}'s first exposure`);
    expect(dropped).toContain(`other ${one} ids`);
  });
});
