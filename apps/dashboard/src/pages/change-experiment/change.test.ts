import { describe, expect, test } from "vitest";
import type { Experiment } from "../../api/types.ts";
import { type ExperimentValues, newVariant, valuesOf } from "../experiment-form/form-values.ts";
import { changeOf, fieldsBetween, reasonFaults, rebased } from "./change-of.ts";
import { consequences } from "./consequences.ts";

const stored = (change: Partial<Experiment> = {}): Experiment => ({
  id: "019ab000-0000-7000-8000-000000000001",
  version: 3,
  name: "answer-style",
  hypothesis: null,
  description: null,
  salt: "s",
  bucket_count: 1000,
  coverage: 0.5,
  status: "running",
  control: "control",
  allocation: [
    { variant: "control", weight: 1 },
    { variant: "concise", weight: 1 },
  ],
  variants: [
    { key: "control", prompt: "Help." },
    { key: "concise", prompt: "Help, briefly." },
  ],
  metrics: [
    {
      name: "spent",
      kind: "mean",
      category: "business",
      method_default: "auto",
      metric_version: 2,
      shared_org_wide: false,
      role: "primary",
    },
  ],
  effective_allocation: { control: 0.25, concise: 0.25 },
  holds: [],
  created_at: "2026-11-01T00:00:00.000Z",
  updated_at: "2026-11-01T00:00:00.000Z",
  is_demo: false,
  ...change,
});

type Edit = (values: ExperimentValues) => Partial<ExperimentValues>;
const edited = (base: Experiment, edit: Edit) => {
  const values = valuesOf(base);
  return { ...values, ...edit(values) };
};
const prompt = (index: number, text: string): Edit => {
  return ({ variants }) => ({
    variants: variants.map((variant, at) => (at === index ? { ...variant, prompt: text } : variant)),
  });
};
const firstMetric = (change: object): Edit => {
  return ({ metrics }) => ({ metrics: metrics.map((metric) => ({ ...metric, ...change })) });
};

describe("changeOf", () => {
  test.each<[string, Edit, readonly string[]]>([
    ["nothing", () => ({}), []],
    ["the name", () => ({ name: "new" }), ["name"]],
    ["the coverage", () => ({ coverage: 0.8 }), ["coverage"]],
    ["a prompt", prompt(1, "Short."), ["variants"]],
    [
      "QA users",
      ({ variants: [first, ...others] }) => ({ variants: [{ ...first!, qaUsers: "a\n b \n\n" }, ...others] }),
      ["qa_users"],
    ],
    ["who gets the prompts", () => ({ isServerOnly: true }), ["visibility"]],
    ["a flag key", () => ({ flagKey: "tone" }), ["assignment", "flag_key"]],
    ["the start", () => ({ isToRun: true }), ["status"]],
    ["control", ({ variants }) => ({ controlId: variants[1]?.id ?? "" }), ["control"]],
    [
      "a variant more",
      ({ variants }) => ({ variants: [...variants, newVariant("third", 1)] }),
      ["variants", "allocation"],
    ],
  ])("sends %s", (_, edit, fields) => {
    expect(Object.keys(changeOf(stored(), edited(stored(), edit)))).toEqual(fields);
  });

  test.each<[string, object, number]>([
    ["another role keeps the version", { role: "guardrail" }, 2],
    ["another kind starts a new series", { kind: "binary" }, 3],
    ["another window starts a new series", { windowDays: 7 }, 3],
  ])("%s", (_, change, version) => {
    const { metrics } = changeOf(stored(), edited(stored(), firstMetric(change)));
    expect(metrics?.[0]?.metric_version).toBe(version);
  });
});

test("a metric that comes back gets a version above those it had", () => {
  const without = stored({ metrics: [], version: 4 });
  const change = changeOf(
    without,
    edited(without, () => ({ metrics: valuesOf(stored({ metrics: [again] })).metrics })),
    [without, stored()],
  );
  expect(change.metrics).toMatchObject([{ name: "spent", kind: "binary", metric_version: 3 }]);
});
const again = { ...stored().metrics[0], kind: "binary", metric_version: 1 } as Experiment["metrics"][number];

test("a change laid over a newer version keeps both, and its own where both changed", () => {
  const theirs = stored({ version: 4, hypothesis: "theirs", name: "theirs" });
  const change = changeOf(
    stored(),
    edited(stored(), () => ({ name: "mine", coverage: 0.9 })),
  );
  expect(fieldsBetween(stored(), theirs)).toEqual(["name", "hypothesis"]);
  expect(rebased(theirs, { change, isToRun: false })).toMatchObject({
    baseVersion: 4,
    name: "mine",
    hypothesis: "theirs",
    coverage: 0.9,
  });
});

describe("consequences", () => {
  const draft = stored({ status: "draft", effective_allocation: { control: 0.25, concise: 0.25 } });
  const weights: Edit = ({ variants }) => ({
    variants: variants.map((variant, index) => ({ ...variant, weight: index === 0 ? 20 : 80 })),
  });
  test.each<[string, Experiment, Edit, RegExp, RegExp, RegExp]>([
    [
      "prompts for servers only",
      stored(),
      () => ({ isServerOnly: true }),
      /^Only servers get/,
      /give servers the secret key first/,
      /Results combine/,
    ],
    [
      "prompts for every client",
      stored({ visibility: "server" }),
      () => ({ isServerOnly: false }),
      /^Every client gets/,
      /anyone who uses your application can read them/,
      /Results combine/,
    ],
    [
      "a draft's prompts for servers only",
      draft,
      () => ({ isServerOnly: true }),
      /^Only servers get/,
      /^Nobody has a variant yet/,
      /use your code's defaults/,
    ],
    [
      "a draft's prompts for every client",
      { ...draft, visibility: "server" },
      () => ({ isServerOnly: false }),
      /^Every client gets/,
      /^Nobody has a variant yet/,
      /can read the texts/,
    ],
    [
      "a draft's flag key",
      draft,
      () => ({ flagKey: "tone" }),
      /^The flag tone assigns/,
      /^Nobody has a variant yet/,
      /none from Assay/,
    ],
    [
      "a draft without its flag",
      { ...draft, assignment: "external", flag_key: "tone" },
      () => ({ flagKey: "" }),
      /^No flag/,
      /^Nobody has a variant yet/,
      /variant from Assay/,
    ],
    [
      "the start on a flag",
      { ...draft, assignment: "external", flag_key: "tone" },
      () => ({ isToRun: true }),
      /^The draft starts/,
      /the flag tone gives them/,
      /first exposure/,
    ],
    [
      "weights alone",
      stored(),
      weights,
      /control 50% → 20%/,
      /^Keep their variant\.$/,
      /only to traffic that you add/,
    ],
    [
      "weights with more traffic",
      stored(),
      (values) => ({ ...weights(values), coverage: 0.8 }),
      /^Weights/,
      /^Keep their variant\.$/,
      /Only the newly covered 30%/,
    ],
    ["weights of a draft", draft, weights, /^Weights/, /Nobody has/, /All are split/],
    [
      "more traffic",
      stored(),
      () => ({ coverage: 0.8 }),
      /50% → 80%/,
      /^Keep their variant\.$/,
      /may get one/,
    ],
    [
      "less traffic",
      stored(),
      () => ({ coverage: 0.1 }),
      /50% → 10%/,
      /^Keep their variant\.$/,
      /does not shrink/,
    ],
    [
      "a prompt",
      stored(),
      prompt(1, "x"),
      /concise: new prompt/,
      /next config poll/,
      /create a new experiment/,
    ],
    [
      "a disabled variant",
      stored(),
      ({ variants }) => ({ variants: variants.map((each, i) => ({ ...each, isEnabled: i === 0 })) }),
      /concise is disabled/,
      /control behavior.*keep their bucket/,
      /go to no other variant/,
    ],
    [
      "another meaning of a metric",
      stored(),
      firstMetric({ kind: "binary" }),
      /version 2 → 3, set for you/,
      /No change/,
      /new series/,
    ],
    [
      "a metric less",
      stored(),
      () => ({ metrics: [] }),
      /spent is removed/,
      /No change/,
      /Stored runs keep it/,
    ],
    [
      "a new name",
      stored(),
      () => ({ name: "new" }),
      /answer-style → new/,
      /Keep their variant/,
      /uses the name/,
    ],
    [
      "the start of a draft",
      draft,
      () => ({ isToRun: true }),
      /draft starts/,
      /Nobody has/,
      /next config poll/,
    ],
    [
      "a second start",
      stored({ status: "stopped" }),
      () => ({ isToRun: true }),
      /resumes.*decision is withdrawn/,
      /their previous variant/,
      /look smaller/,
    ],
  ])("of %s", (_, base, edit, change, present, later) => {
    const [row] = consequences(base, changeOf(base, edited(base, edit)));
    expect(row?.change).toMatch(change);
    expect(row?.present).toMatch(present);
    expect(row?.later).toMatch(later);
  });

  const judged = stored({
    metrics: [
      {
        ...stored().metrics[0],
        name: "passes",
        kind: "ratio",
        category: "quality",
        judge: { rubric: "Pass when it helps.", scale: "pass_fail", sample_rate: 0.1 },
      } as Experiment["metrics"][number],
    ],
  });
  test.each<[string, object, RegExp, RegExp]>([
    ["another rubric", { rubric: "Other." }, /version 2 → 3/, /New answers are drawn.*labels stay/],
    ["another scale", { scale: "1-5" }, /version 2 → 3/, /New answers are drawn/],
    ["another share", { sampleRate: 0.2 }, /^passes: 10% → 20% of the calls/, /stay comparable/],
    ["another margin", { margin: 0.05 }, /^passes: test settings/, /stay comparable/],
  ])("of %s of a judge", (_, edit, change, later) => {
    const [row] = consequences(judged, changeOf(judged, edited(judged, firstMetric(edit))));
    expect(row?.change).toMatch(change);
    expect(row?.later).toMatch(later);
  });

  test.each<[string, boolean, RegExp, RegExp]>([
    ["an own copy", true, /^spent is this experiment's own$/, /no longer reach it/],
    ["sharing", false, /^spent is shared$/, /Other experiments can use it/],
  ])("of %s", (_, shared_org_wide, change, later) => {
    const [metric] = stored().metrics;
    const base = stored({ metrics: [{ ...metric!, shared_org_wide }] });
    const [row] = consequences(
      base,
      changeOf(base, edited(base, firstMetric({ isShared: !shared_org_wide }))),
    );
    expect(row?.change).toMatch(change);
    expect(row?.later).toMatch(later);
  });

  test("of an added variant: nobody moves to it", () => {
    const change = changeOf(
      stored(),
      edited(stored(), ({ variants }) => ({ variants: [...variants, newVariant("third", 1)] })),
    );
    expect(consequences(stored(), change).map((row) => row.present)).toContain(
      "Keep their variant. None of them moves to third.",
    );
  });
});

describe("a change of the decision plan", () => {
  const planned = stored({ plan: { horizon_weeks: 2, min_weeks: 1, looks: "group_sequential" } });
  const longer = (reason: string): Edit => {
    return ({ plan }) => ({ plan: { ...plan, horizonWeeks: 4, reason } });
  };

  test("is sent with its reason, and a reason alone is no change", () => {
    expect(changeOf(planned, edited(planned, longer("A holiday.")))).toEqual({
      plan: expect.objectContaining({ horizon_weeks: 4, reason: "A holiday." }),
    });
    expect(
      changeOf(
        planned,
        edited(planned, ({ plan }) => ({ plan: { ...plan, reason: "x" } })),
      ),
    ).toEqual({});
  });

  test("lacks a reason once users are exposed", () => {
    const pointers = (edit: Edit) =>
      reasonFaults(planned, edited(planned, edit)).map(({ pointer }) => pointer);
    expect(pointers(longer(" "))).toEqual(["/plan/reason"]);
    expect(pointers(longer("A holiday."))).toEqual([]);
    expect(pointers(() => ({ name: "other" }))).toEqual([]);
  });

  test("keeps its reason over a rebase", () => {
    const change = changeOf(planned, edited(planned, longer("A holiday.")));
    expect(rebased(planned, { change, isToRun: false }).plan).toMatchObject({
      horizonWeeks: 4,
      reason: "A holiday.",
    });
  });

  test.each([
    [true, "No change. The results will say that the plan was changed, and why."],
    [false, "No change."],
  ])("says what the results will say; exposed: %s", (isExposed, later) => {
    const change = changeOf(planned, edited(planned, longer("A holiday.")));
    expect(consequences(planned, change, isExposed)).toEqual([
      expect.objectContaining({ change: "Decision plan", later }),
    ]);
  });
});
