import type { BodyFault } from "../../api/problem.ts";
import type { ExperimentValues, VariantValues } from "./form-values.ts";
import type { MetricValues } from "./metric-values.ts";
import { variablesFault } from "./variables.ts";
import { sumOf } from "./weights.ts";

const MOST_VARIANTS = 20;
const MOST_METRICS = 50;
const LONGEST_PROMPT = 262_144;
const LONGEST_RUBRIC = 10_000;
const METRIC_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

type Check = readonly [isWrong: boolean, pointer: string, detail: string];

/** Lists what the service would refuse, by the place in the body where it stands, in the order of the page. */
export function checkForm(values: ExperimentValues): readonly BodyFault[] {
  const { variants, metrics } = values;
  return [
    ...found([
      [values.name.trim() === "", "/name", "Give the experiment a name."],
      [values.name.trim().length > 100, "/name", "Use 100 characters at most."],
      [variants.length < 2, "/variants", "Compare at least two variants."],
      [variants.length > MOST_VARIANTS, "/variants", `Use ${MOST_VARIANTS} variants at most.`],
    ]),
    ...variants.flatMap(checkVariant),
    ...found([
      [
        !(sumOf(variants.map(({ weight }) => weight)) > 0),
        "/allocation",
        "Give some variant a weight above 0.",
      ],
      [!isBetween(values.coverage, 0, 1), "/coverage", "Give a share between 0 % and 100 %."],
      [!/^.{1,64}$/su.test(values.salt), "/salt", "Use 1 to 64 characters."],
      [!isWhole(values.bucketCount, 1, 1_000_000), "/bucket_count", "Give a whole number up to 1,000,000."],
      [metrics.length > MOST_METRICS, "/metrics", `Use ${MOST_METRICS} metrics at most.`],
    ]),
    ...metrics.flatMap(checkMetric),
  ];
}

function checkVariant(variant: VariantValues, index: number, all: readonly VariantValues[]): BodyFault[] {
  const at = `/variants/${index}`;
  const key = variant.key.trim();
  const variables = variablesFault(variant.variables);
  return found([
    [key === "", `${at}/key`, "Give the variant a name."],
    [key.length > 100, `${at}/key`, "Use 100 characters at most."],
    [isRepeated(all, index, (other) => other.key), `${at}/key`, `"${key}" is listed twice.`],
    [variant.prompt.length > LONGEST_PROMPT, `${at}/prompt`, "Use 262,144 characters at most."],
    [variables !== null, `${at}/variables`, variables ?? ""],
    [(variant.weight ?? 0) < 0, `/allocation/${index}/weight`, "A weight is 0 or more."],
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
      "Name the event as your application sends it.",
    ],
    [
      metric.kind === "quantile" && !isBetween(metric.quantile, 0.0001, 0.9999),
      `${at}/quantile`,
      "Give a share between 0 % and 100 %.",
    ],
    ...judgeChecks(metric, at),
    [(metric.margin ?? 0) < 0, `${at}/margin`, "Give 0 or more."],
    [!isBetween(metric.targetEffect ?? 1, 1e-6, 10), `${at}/target_effect`, "Give a change above 0 %."],
    [!isBetween(metric.windowDays ?? 1, 1e-6, 365), `${at}/window_days`, "Give up to 365 days."],
  ]);
}

function judgeChecks({ source, rubric, sampleRate }: MetricValues, at: string): readonly Check[] {
  const isJudged = source === "judge";
  return [
    [isJudged && rubric.trim() === "", `${at}/judge/rubric`, "Say what makes an answer good."],
    [rubric.trim().length > LONGEST_RUBRIC, `${at}/judge/rubric`, "Use 10,000 characters at most."],
    [
      isJudged && !isBetween(sampleRate, 1e-6, 1),
      `${at}/judge/sample_rate`,
      "Give a share above 0 % and up to 100 %.",
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

function isBetween(value: number | null, low: number, high: number): boolean {
  return value !== null && value >= low && value <= high;
}

function isWhole(value: number | null, low: number, high: number): boolean {
  return isBetween(value, low, high) && Number.isInteger(value);
}
