import type { BodyFault } from "../../api/problem.ts";
import type { ExperimentValues, VariantValues } from "./form-values.ts";
import { GUARD_FIELDS, toGuard } from "./guard-values.ts";
import type { MetricValues } from "./metric-values.ts";
import { checkPlan } from "./plan-values.ts";
import { stagesOf } from "./rollout-values.ts";
import { variablesFault } from "./variables.ts";
import { sumOf } from "./weights.ts";

const MOST_VARIANTS = 20;
const MOST_METRICS = 50;
const LONGEST_PROMPT = 262_144;
const LONGEST_RUBRIC = 10_000;
const METRIC_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

type Check = readonly [isWrong: boolean, pointer: string, detail: string];

/** Lists what the service would refuse, with its place in the body, in the order of the page. */
export function checkForm(values: ExperimentValues): readonly BodyFault[] {
  const { variants, metrics, rolloutStages = "" } = values;
  const stages = stagesOf({ rolloutStages });
  return [
    ...found([
      [values.name.trim() === "", "/name", "Enter a name."],
      [values.name.trim().length > 100, "/name", "Use at most 100 characters."],
      [variants.length < 2, "/variants", "Compare at least two variants."],
      [variants.length > MOST_VARIANTS, "/variants", `Use ${MOST_VARIANTS} variants or fewer.`],
    ]),
    ...variants.flatMap(checkVariant),
    ...found([
      [
        !(sumOf(variants.map(({ weight }) => weight)) > 0),
        "/allocation",
        "Give at least one variant a weight above 0.",
      ],
      [
        stages.length === 0 && !isBetween(values.coverage, 0, 1),
        "/coverage",
        "Enter a value between 0% and 100%.",
      ],
      [
        !areRising(stages),
        "/rollout/stages",
        "Enter rising percents with commas between them: 1, 5, 20, 50.",
      ],
      [
        stages.length > 0 && !isWhole(values.rolloutMinutes, 1, 43_200),
        "/rollout/min_minutes",
        "Enter whole minutes, up to 43,200 (30 days).",
      ],
      [!/^.{1,64}$/su.test(values.salt), "/salt", "Use 1 to 64 characters."],
      [
        !isWhole(values.bucketCount, 1, 1_000_000),
        "/bucket_count",
        "Enter a whole number from 1 to 1,000,000.",
      ],
      [metrics.length > MOST_METRICS, "/metrics", `Use ${MOST_METRICS} metrics or fewer.`],
    ]),
    ...checkGuard(values),
    ...metrics.flatMap(checkMetric),
    ...checkPlan(values.plan),
  ];
}

function checkGuard(values: ExperimentValues): BodyFault[] {
  const guard = toGuard(values);
  if (guard === null) return [];
  const checks = GUARD_FIELDS.map(({ signal, most }): Check => {
    const harm = guard[signal] ?? null;
    const detail = `Enter a share from 0% to ${100 * most}%, or nothing.`;
    return [harm !== null && !isBetween(harm, 0, most), `/guard/${signal}`, detail];
  });
  return found(checks);
}

function checkVariant(variant: VariantValues, index: number, all: readonly VariantValues[]): BodyFault[] {
  const at = `/variants/${index}`;
  const key = variant.key.trim();
  const variables = variablesFault(variant.variables);
  return found([
    [key === "", `${at}/key`, "Enter a name for the variant."],
    [key.length > 100, `${at}/key`, "Use at most 100 characters."],
    [isRepeated(all, index, (other) => other.key), `${at}/key`, `"${key}" is listed twice.`],
    [variant.prompt.length > LONGEST_PROMPT, `${at}/prompt`, "Use at most 262,144 characters."],
    [variables !== null, `${at}/variables`, variables ?? ""],
    [(variant.weight ?? 0) < 0, `/allocation/${index}/weight`, "Enter 0 or more."],
  ]);
}

function checkMetric(metric: MetricValues, index: number, all: readonly MetricValues[]): BodyFault[] {
  const at = `/metrics/${index}`;
  const name = metric.name.trim();
  const isBusiness = metric.source === "business_event";
  return found([
    [!METRIC_NAME.test(name), `${at}/name`, "Use 1 to 64 letters, digits, _, - or . without spaces."],
    [isRepeated(all, index, (other) => other.name), `${at}/name`, `"${name}" is listed twice.`],
    [
      isBusiness && metric.businessMetric.trim() === "",
      `${at}/source/business_metric`,
      "Enter the event name that your application sends.",
    ],
    [
      metric.kind === "quantile" && !isBetween(metric.quantile, 0.0001, 0.9999),
      `${at}/quantile`,
      "Enter a value between 0% and 100%.",
    ],
    ...judgeChecks(metric, at),
    [(metric.margin ?? 0) < 0, `${at}/margin`, "Enter 0 or more."],
    [
      !isBetween(metric.targetEffect ?? 1, 1e-6, 10),
      `${at}/target_effect`,
      "Enter a change above 0%, up to 1,000%.",
    ],
    [!isBetween(metric.windowDays ?? 1, 1e-6, 365), `${at}/window_days`, "Enter at most 365 days."],
  ]);
}

function judgeChecks({ source, rubric, sampleRate }: MetricValues, at: string): readonly Check[] {
  const isJudged = source === "judge";
  return [
    [isJudged && rubric.trim() === "", `${at}/judge/rubric`, "Describe what makes an answer good."],
    [rubric.trim().length > LONGEST_RUBRIC, `${at}/judge/rubric`, "Use at most 10,000 characters."],
    [
      isJudged && !isBetween(sampleRate, 1e-6, 1),
      `${at}/judge/sample_rate`,
      "Enter a value above 0%, up to 100%.",
    ],
  ];
}

function found(checks: readonly Check[]): BodyFault[] {
  return checks.flatMap(([isWrong, pointer, detail]) => (isWrong ? [{ pointer, detail }] : []));
}

function isRepeated<Item>(all: readonly Item[], index: number, nameOf: (item: Item) => string): boolean {
  const names = all.map((item) => nameOf(item).trim());
  const name = names[index] ?? "";
  return name !== "" && names.indexOf(name) < index;
}

/** A value that is no number is above nothing. */
function areRising(stages: readonly number[]): boolean {
  return stages.every((percent, index) => percent > (stages[index - 1] ?? 0) && percent <= 100);
}

function isBetween(value: number | null, low: number, high: number): boolean {
  return value !== null && value >= low && value <= high;
}

function isWhole(value: number | null, low: number, high: number): boolean {
  return isBetween(value, low, high) && Number.isInteger(value);
}
