import { describe, expect, test } from "vitest";
import type { Experiment, MetricDefinition } from "../../api/types.ts";
import { checkForm } from "./check-form.ts";
import { checklist } from "./checklist.ts";
import { fieldOfPointer } from "./field-of-pointer.ts";
import { toConfig } from "./form-to-config.ts";
import {
  type ExperimentValues,
  emptyValues,
  newVariant,
  valuesOf,
  withoutVariant,
  withVariant,
} from "./form-values.ts";
import { capOptionOf, capsOf, originOf, originsOf, withCapOption, withOrigin } from "./metric-options.ts";
import { fromCatalogue, fromTemplate, METRIC_TEMPLATES } from "./metric-templates.ts";
import {
  hasOtherMeaning,
  toMetric,
  toMetricValues,
  versionFor,
  withKind,
  withShared,
  withSource,
} from "./metric-values.ts";
import { estimateTokens, priceOf, promptCost } from "./prompt-cost.ts";
import { fromVariables } from "./variables.ts";
import { equalWeights, sharesOf, sumInWords } from "./weights.ts";

const metric = (change: Partial<MetricDefinition> = {}): MetricDefinition => ({
  name: "spent",
  kind: "mean",
  category: "business",
  method_default: "auto",
  metric_version: 1,
  shared_org_wide: false,
  ...change,
});

const filled = (change: Partial<ExperimentValues> = {}): ExperimentValues => ({
  ...emptyValues("5a17"),
  name: " shorter ",
  ...change,
});

const DEFAULT_PLAN = {
  ...{ horizon_weeks: null, min_weeks: 1, looks: "group_sequential" },
  ...{ alpha: 0.05, power: 0.8, futility: true },
};

describe("toConfig", () => {
  test("writes an empty form with the defaults of the contract", () => {
    expect(toConfig(filled(), "draft")).toEqual({
      name: "shorter",
      hypothesis: null,
      description: null,
      tags: [],
      unit: "user",
      salt: "5a17",
      bucket_count: 1000,
      coverage: 1,
      rollout: null,
      guard: null,
      assignment: "assay",
      flag_key: null,
      allocation: [
        { variant: "control", weight: 50 },
        { variant: "treatment", weight: 50 },
      ],
      variants: [
        { key: "control", prompt: null, variables: null, description: null, enabled: true },
        { key: "treatment", prompt: null, variables: null, description: null, enabled: true },
      ],
      qa_users: {},
      visibility: "client",
      control: "control",
      status: "draft",
      metrics: [],
      plan: DEFAULT_PLAN,
    });
  });

  test("reads QA users line by line, of the variants that have any", () => {
    const variants = [
      { ...newVariant("control", 1), qaUsers: " ann \n\nben, too\nann\n" },
      newVariant("treatment", 1),
    ];
    const { qa_users } = toConfig(filled({ variants }), "draft");
    expect(qa_users).toEqual({ control: ["ann", "ben, too"] });
    const kept = filled({ variants: variants.map(({ qaUsers: _, ...variant }) => variant) as never });
    expect(toConfig(kept, "draft").qa_users).toEqual({});
  });

  test("a flag key means external assignment; without one, the assignment stays as it was", () => {
    const sent = (change: object) => {
      const { assignment, flag_key } = toConfig(filled(change), "draft");
      return [assignment, flag_key];
    };
    expect(sent({ flagKey: " tone " })).toEqual(["external", "tone"]);
    expect(sent({ flagKey: " " })).toEqual(["assay", null]);
    expect(sent({ assignment: "external" })).toEqual(["external", null]);
    expect(sent({ flagKey: undefined, assignment: undefined })).toEqual(["assay", null]);
  });

  test("keeps a prompt as typed and follows a renamed control", () => {
    const base = { ...newVariant("base", 10), prompt: "  Hi.\n" };
    const other = { ...newVariant("other", null as never), variables: fromVariables({ model: "m" }) };
    const config = toConfig(filled({ variants: [other, base], controlId: base.id }), "running");
    expect(config.control).toBe("base");
    expect(config.variants?.[1]?.prompt).toBe("  Hi.\n");
    expect(config.variants?.[0]?.variables).toEqual({ model: "m" });
    expect(config.allocation[0]?.weight).toBe(0);
  });

  test("shows a stored experiment and writes it back without a difference", () => {
    const stored = {
      name: "stored",
      hypothesis: "h",
      description: null,
      tags: ["search", "q 4"],
      unit: "user",
      salt: "s",
      bucket_count: 100,
      coverage: 0.5,
      rollout: null,
      guard: null,
      assignment: "external",
      flag_key: "tone",
      allocation: [
        { variant: "a", weight: 1 },
        { variant: "b", weight: 3 },
      ],
      variants: [
        {
          key: "a",
          prompt: "x",
          variables: { n: 1, t: "5", deep: { k: [1] } },
          description: "d",
          enabled: false,
        },
        { key: "b", prompt: null, variables: null, description: null, enabled: true },
      ],
      qa_users: { b: ["ann", "ben"] },
      visibility: "server",
      control: "b",
      metrics: METRIC_TEMPLATES.map((template) => toMetric(fromTemplate(template, []))),
      plan: {
        ...{ horizon_weeks: 4, min_weeks: 2, looks: "fixed", alpha: 0.01, power: 0.9, futility: false },
      },
    };
    const { status: _, ...written } = toConfig(valuesOf(stored as unknown as Experiment), "running");
    expect(written).toEqual(stored);
  });
});

describe("checkForm", () => {
  const twoOf = (key: string) => [newVariant(key, 1), newVariant(key, 1)];
  const withMetric = (change: object) => ({ metrics: [{ ...toMetricValues(metric()), ...change }] });
  test.each<[string, Partial<ExperimentValues>, string | null]>([
    ["finds nothing in a filled form", {}, null],
    ["wants a name", { name: "  " }, "/name"],
    ["wants no more than 100 characters", { name: "n".repeat(101) }, "/name"],
    ["wants two variants", { variants: [newVariant("a", 1)] }, "/variants"],
    ["wants variants of different names", { variants: twoOf("a") }, "/variants/1/key"],
    ["wants named variants", { variants: [newVariant("a", 1), newVariant(" ", 1)] }, "/variants/1/key"],
    ["wants some weight", { variants: [newVariant("a", 0), newVariant("b", null as never)] }, "/allocation"],
    ["wants a share", { coverage: null }, "/coverage"],
    ["wants a salt", { salt: "" }, "/salt"],
    ["wants whole buckets", { bucketCount: 1.5 }, "/bucket_count"],
    ["wants metric names without spaces", withMetric({ name: "my metric" }), "/metrics/0/name"],
    [
      "wants the event of a business metric",
      withMetric({ source: "business_event", businessMetric: "" }),
      "/metrics/0/source/business_metric",
    ],
    ["wants a quantile inside 0 and 1", withMetric({ kind: "quantile", quantile: 1 }), "/metrics/0/quantile"],
    ["wants a target above 0", withMetric({ targetEffect: 0 }), "/metrics/0/target_effect"],
    ["wants no negative loss", withMetric({ margin: -1 }), "/metrics/0/margin"],
    ["wants no window over a year", withMetric({ windowDays: 400 }), "/metrics/0/window_days"],
  ])("%s", (_, change, pointer) => {
    expect(checkForm(filled(change)).map((fault) => fault.pointer)).toEqual(
      pointer === null ? [] : [pointer],
    );
  });
});

test.each([
  ["/name", "name"],
  ["/bucket_count", "bucketCount"],
  ["/allocation", "variants"],
  ["/allocation/1/weight", "variants.1.weight"],
  ["/variants/0/variables/model", "variants.0.variables"],
  ["/variants/2/enabled", "variants.2.key"],
  ["/metrics/3/target_effect", "metrics.3.targetEffect"],
  ["/metrics/0/source/business_metric", "metrics.0.businessMetric"],
  ["/metrics/0/cap", "metrics.0.name"],
  ["/decision", null],
  ["", null],
])("fieldOfPointer finds where %s shows: %s", (pointer, field) => {
  expect(fieldOfPointer(pointer)).toBe(field);
});

describe("weights", () => {
  test("stay equal when variants come and go, and keep what was set by hand", () => {
    const three = withVariant(emptyValues("s").variants);
    expect(three.map(({ key, weight }) => [key, weight])).toEqual([
      ["control", 33.33],
      ["treatment", 33.33],
      ["treatment-2", 33.33],
    ]);
    expect(withoutVariant(three, three[0]?.id ?? "").map(({ weight }) => weight)).toEqual([50, 50]);
    const uneven = [newVariant("a", 90), newVariant("b", 10)];
    expect(withVariant(uneven).map(({ weight }) => weight)).toEqual([90, 10, 0]);
  });

  test.each([
    [[50, 50], /add up to 100\./],
    [[33.33, 33.33, 33.33], /add up to 100\./],
    [[1, 1], /add up to 2\. Each counts/],
    [[0, null], /add up to 0/],
  ])("%j in words", (weights, words) => expect(sumInWords(weights)).toMatch(words));

  test("become shares", () => {
    expect(sharesOf([1, 3, null])).toEqual([0.25, 0.75, 0]);
    expect(sharesOf([0, null])).toEqual([0, 0]);
    expect(equalWeights(4)).toEqual([25, 25, 25, 25]);
  });
});

describe("metrics", () => {
  test("of templates: one is primary, names differ", () => {
    const [cost, , , , business] = METRIC_TEMPLATES;
    if (cost === undefined || business === undefined) throw new Error("The templates are gone.");
    const first = fromTemplate(cost, []);
    const second = fromTemplate(cost, [first]);
    expect([first.role, second.role, fromTemplate(business, [first]).role]).toEqual([
      "primary",
      "secondary",
      "secondary",
    ]);
    expect(second.name).toBe("cost_per_user_2");
    expect(fromCatalogue(metric({ role: "guardrail", metric_version: 3 }), [first])).toMatchObject({
      role: "guardrail",
      version: 3,
    });
  });

  test("of money per user are proposed with the pooled cap, which can be changed", () => {
    const [cost] = METRIC_TEMPLATES;
    expect(toMetric(fromTemplate(cost!, []))).toMatchObject({ kind: "mean", cap: "p99.9" });
    const conversion = toMetricValues(
      metric({ kind: "binary", source: { event: "business_event", business_metric: "spent" } }),
    );
    const revenue = withKind(conversion, "mean");
    expect(capOptionOf(revenue)).toBe("p99.9");
    expect(toMetric(withCapOption(revenue, "none")).cap).toBeNull();
    const number = toMetricValues(metric({ kind: "mean", cap: 5 }));
    expect(capsOf(number).map(({ value }) => value)).toEqual(["p99.9", "none", "5"]);
    expect(toMetric(withCapOption(number, "5")).cap).toBe(5);
    expect(toMetric(withCapOption(number, "p99.9")).cap).toBe("p99.9");
    expect(toMetric(withSource(revenue, "input_tokens")).cap).toBeNull();
    expect(toMetric(withSource(withSource(revenue, "input_tokens"), "cost_usd")).cap).toBe("p99.9");
  });

  test("of another kind or source are of the automatic test, category and direction", () => {
    const capped = toMetricValues(metric({ method: "welch_t", cap: 5 }));
    expect(toMetric(withKind(capped, "binary"))).toMatchObject({ method: null, cap: null, kind: "binary" });
    expect(toMetric(withSource(capped, "error"))).toMatchObject({
      category: "reliability",
      desired: "decrease",
    });
    expect(
      withSource(toMetricValues(metric({ source: { event: "judge" } })), "business_event"),
    ).toMatchObject({
      businessMetric: "spent",
    });
  });

  test("come from anywhere, from trusted sources, or from those that the API was told", () => {
    const any = toMetricValues(metric());
    expect([originOf(any), originsOf(any).length, toMetric(any).accept_from]).toEqual(["any", 2, null]);
    const trusted = withOrigin(any, "trusted");
    expect(toMetric(trusted).accept_from).toEqual(["signed", "secret", "import"]);
    expect([originOf(trusted), originsOf(trusted).length]).toEqual(["trusted", 2]);
    const listed = toMetricValues(metric({ accept_from: ["import", "signed"] }));
    expect(originOf(listed)).toBe("listed");
    expect(originsOf(listed).at(-1)).toEqual({ value: "listed", label: "Imports and signed webhooks" });
    expect(withOrigin(listed, "listed")).toBe(listed);
    expect(withOrigin(listed, "any").acceptFrom).toBeNull();
    const ofRuns = withOrigin(withSource(listed, "run:turns"), "trusted");
    expect([ofRuns.acceptFrom, originOf(ofRuns)]).toEqual([
      ["signed", "secret", "import", "otlp"],
      "trusted",
    ]);
    expect(withSource(ofRuns, "run:steps").acceptFrom).toEqual(ofRuns.acceptFrom);
    expect(withSource(ofRuns, "cost_usd").acceptFrom).toBeNull();
    expect(withSource(trusted, "cost_usd").acceptFrom).toBeNull();
  });

  test("that are shared are locked until they are the experiment's own", () => {
    const shared = toMetricValues(metric({ shared_org_wide: true }));
    expect(shared).toMatchObject({ isShared: true, isCommon: true });
    expect(withShared(shared, false)).toMatchObject({ isShared: false, isCommon: false });
    // Shared again, it is what the form says, which the service compares.
    expect(withShared(withShared(shared, false), true)).toMatchObject({ isShared: true, isCommon: false });
  });

  test.each<[string, MetricDefinition, readonly MetricDefinition[], number]>([
    ["a new name keeps its version", metric({ metric_version: 4 }), [], 4],
    ["the same meaning keeps the highest", metric(), [metric(), metric({ metric_version: 3 })], 3],
    [
      "another meaning gets the next",
      metric({ kind: "binary" }),
      [metric({ metric_version: 3 }), metric()],
      4,
    ],
    ["a higher one stays", metric({ kind: "binary", metric_version: 9 }), [metric()], 9],
  ])("of which %s", (_, sent, known, version) => expect(versionFor(sent, known)).toBe(version));

  test.each<[string, Partial<MetricDefinition>, boolean]>([
    ["role", { role: "primary" }, false],
    ["margin", { margin: 2 }, false],
    [
      "the default source, written out",
      { source: { event: "business_event", business_metric: "spent" } },
      false,
    ],
    ["another event", { source: { event: "business_event", business_metric: "paid" } }, true],
    ["kind", { kind: "binary" }, true],
    ["window", { window_days: 7 }, true],
    ["cap", { cap: 100 }, true],
    ["list of sources", { accept_from: ["signed"] }, true],
  ])("with another %s: means something else: %s", (_, change, isOther) => {
    expect(hasOtherMeaning(metric(), metric(change))).toBe(isOther);
  });
});

test("a prompt costs its tokens at the model's price, with or without a snapshot's date", () => {
  const price = {
    model: "m",
    effective_from: "2026-01-01",
    input_usd_per_million: 2,
    output_usd_per_million: 8,
    cached_input_usd_per_million: null,
    reasoning_usd_per_million: null,
    cache_write_5m_usd_per_million: null,
    cache_write_1h_usd_per_million: null,
    audio_input_usd_per_million: null,
    audio_output_usd_per_million: null,
    source: "built-in",
  } as const;
  expect(estimateTokens("12345")).toBe(2);
  expect(promptCost("x".repeat(400), price)).toBeCloseTo(0.2, 12);
  expect(priceOf("m-2026-05-06", [price])).toBe(price);
  expect(priceOf("other", [price])).toBeNull();
});

describe("checklist", () => {
  const now = Date.parse("2026-11-22T00:00:00Z");
  const open = (values: ExperimentValues, lastUsedAt: string | null = null) =>
    checklist(values, { lastUsedAt, now }).filter(({ isDone }) => !isDone).length;
  const good = filled({
    hypothesis: "We believe …",
    metrics: [
      toMetricValues(metric({ role: "primary", accept_from: ["signed"] })),
      toMetricValues(metric({ name: "safe", role: "guardrail", category: "cost" })),
    ],
  });
  const forgeable = { ...good, metrics: good.metrics.map((one) => ({ ...one, acceptFrom: null })) };
  test.each<[string, ExperimentValues, string | null, number]>([
    ["is done", good, "2026-11-21T23:00:00Z", 0],
    ["proposes trusted sources", forgeable, "2026-11-21T23:00:00Z", 1],
    ["knows code that fell silent", good, "2026-11-01T00:00:00Z", 1],
    ["knows code that never called", good, null, 1],
    ["wants one primary metric", { ...good, metrics: [] }, "2026-11-21T23:00:00Z", 2],
    [
      "sees a lopsided split",
      { ...good, variants: [newVariant("a", 99), newVariant("b", 1)] },
      "2026-11-21T23:00:00Z",
      1,
    ],
    ["sees that nobody takes part", { ...good, coverage: 0 }, "2026-11-21T23:00:00Z", 1],
  ])("%s", (_, values, usedAt, count) => expect(open(values, usedAt)).toBe(count));
});
