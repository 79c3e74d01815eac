import type { FieldFault } from "../problem.ts";
import { type Decision, type ExperimentConfig, hasEnded } from "./config.ts";
import { checkPlan } from "./decision-plan.ts";
import { checkFlag } from "./flag.ts";
import { kindsOfRunField, type MetricDefinition, methodsOfKind } from "./metric.ts";
import { checkNames } from "./names.ts";
import { checkQaUsers } from "./qa-users.ts";
import { checkRollout } from "./rollout.ts";

/** Lists the rules that `config` breaks, except those that `before` broke too: an older Assay stored it without the rule. */
export function checkNextConfig(config: ExperimentConfig, before: ExperimentConfig): readonly FieldFault[] {
  const known = new Set(checkConfig(before).map(({ pointer, detail }) => `${pointer} ${detail}`));
  return checkConfig(config).filter(({ pointer, detail }) => !known.has(`${pointer} ${detail}`));
}

/** Lists the rules of contract §5 that a config breaks, as far as a schema cannot express them. Pointers use wire names. */
export function checkConfig(config: ExperimentConfig): readonly FieldFault[] {
  return [
    ...duplicates(
      config.variants.map(({ key }) => key),
      "variants",
      "key",
    ),
    ...duplicates(
      config.allocation.map(({ variant }) => variant),
      "allocation",
      "variant",
    ),
    ...duplicates(
      config.metrics.map(({ name }) => name),
      "metrics",
      "name",
    ),
    ...checkNames(config),
    ...checkAllocation(config),
    ...checkDecision(config),
    ...checkShipped(config),
    ...checkQaUsers(config),
    ...checkFlag(config),
    ...checkRollout(config),
    ...checkPlan(config.plan),
    ...config.metrics.flatMap((metric, index) => checkMetric(metric, `/metrics/${index}`)),
    ...checkRunSenders(config),
  ];
}

function checkAllocation({ allocation, variants, control }: ExperimentConfig): readonly FieldFault[] {
  const keys = new Set(variants.map(({ key }) => key));
  const faults: FieldFault[] = [];
  for (const [index, { variant }] of allocation.entries()) {
    if (!keys.has(variant)) {
      faults.push({
        pointer: `/allocation/${index}/variant`,
        detail: `"${variant}" is not one of the variants.`,
      });
    }
  }
  if (!(allocation.reduce((sum, { weight }) => sum + weight, 0) > 0)) {
    faults.push({ pointer: "/allocation", detail: "The weights must have a positive sum." });
  }
  if (!keys.has(control)) {
    faults.push({ pointer: "/control", detail: `"${control}" is not one of the variants.` });
  }
  return faults;
}

function checkDecision(config: ExperimentConfig): readonly FieldFault[] {
  const { decision, status } = config;
  if (decision === null) return [];
  const faults: FieldFault[] = [];
  if (!hasEnded(status)) {
    const detail = `A decision needs status "stopped", "shipped" or "archived"; this experiment's is "${status}".`;
    faults.push({ pointer: "/decision", detail });
  }
  const detail = variantFault(decision, config);
  if (detail !== null) faults.push({ pointer: "/decision/variant", detail });
  return faults;
}

/** Says why a decision may not name its variant. */
function variantFault(
  { outcome, variant }: Decision,
  { status, variants, control, shippedVariant }: ExperimentConfig,
): string | null {
  if (variant === null) return null;
  if (!variants.some(({ key }) => key === variant)) return `"${variant}" is not one of the variants.`;
  if (outcome === "won" && variant === control)
    return `"${control}" is control, which the others are compared with: if it stays, the outcome is "lost" or "inconclusive".`;
  if (status !== "shipped" || shippedVariant === null || variant === shippedVariant) return null;
  return `Everybody gets "${shippedVariant}": the decision must name it, too, or no variant (null).`;
}

/** Everybody gets the shipped variant, so it must exist and be enabled. */
function checkShipped({ shippedVariant, status, variants }: ExperimentConfig): readonly FieldFault[] {
  const fault = (detail: string) => [{ pointer: "/shipped_variant", detail }];
  if (status !== "shipped") {
    if (shippedVariant === null) return [];
    return fault(`A shipped variant needs status "shipped"; this experiment's is "${status}".`);
  }
  if (shippedVariant === null)
    return fault('Status "shipped" needs shipped_variant, the variant that everybody gets.');
  const variant = variants.find(({ key }) => key === shippedVariant);
  if (variant === undefined) return fault(`"${shippedVariant}" is not one of the variants.`);
  if (variant.enabled) return [];
  return fault(
    `"${shippedVariant}" is switched off: switch it on, or set the status to "stopped" so that nobody gets it.`,
  );
}

/** Lists the rules that a metric breaks; `at` is its JSON Pointer. */
export function checkMetric(metric: MetricDefinition, at: string): readonly FieldFault[] {
  const allowed = methodsOfKind(metric.kind);
  const faults: FieldFault[] = [];
  if (metric.cap !== null && metric.kind !== "mean") {
    const detail = `A cap needs kind "mean"; this metric is of kind "${metric.kind}".`;
    faults.push({ pointer: `${at}/cap`, detail });
  }
  for (const [field, method] of [
    ["method_default", metric.methodDefault],
    ["method", metric.method],
  ] as const) {
    if (method !== null && !allowed.includes(method)) {
      const detail = `"${method}" does not fit kind "${metric.kind}"; use one of ${allowed.join(", ")}.`;
      faults.push({ pointer: `${at}/${field}`, detail });
    }
  }
  return [...faults, ...checkRunSource(metric, at), ...checkJudge(metric, at)];
}

function checkRunSource({ kind, source }: MetricDefinition, at: string): readonly FieldFault[] {
  if (source.event !== "run") return [];
  const faults: FieldFault[] = [];
  const kinds = kindsOfRunField(source.field);
  if (!kinds.includes(kind)) {
    const detail = `"${source.field}" of a run does not fit kind "${kind}"; use one of ${kinds.join(", ")}.`;
    faults.push({ pointer: `${at}/kind`, detail });
  }
  return faults;
}

/** All metrics of agents' runs must accept the same sources, because one run serves all of them. */
function checkRunSenders({ metrics }: ExperimentConfig): readonly FieldFault[] {
  const sendersOf = ({ acceptFrom }: MetricDefinition) =>
    acceptFrom === null ? "" : acceptFrom.toSorted().join();
  const [first, ...others] = [...metrics.entries()].filter(([, { source }]) => source.event === "run");
  return others.flatMap(([index, metric]) => {
    if (sendersOf(metric) === sendersOf(first![1])) return [];
    const detail = `All metrics of runs accept the same events: send the accept_from of "${first![1].name}".`;
    return [{ pointer: `/metrics/${index}/accept_from`, detail }];
  });
}

function checkJudge({ kind, source, judge }: MetricDefinition, at: string): readonly FieldFault[] {
  const isJudged = source.event === "judge";
  const faults: FieldFault[] = [];
  if (judge !== null && !isJudged) {
    const detail = `A judge needs a metric whose source is a judge; this one's is "${source.event}".`;
    faults.push({ pointer: `${at}/judge`, detail });
  }
  if (isJudged && kind === "quantile") {
    const detail = 'Scores have no quantile to compare; use kind "ratio", "mean", "ordinal" or "binary".';
    faults.push({ pointer: `${at}/kind`, detail });
  }
  if (isJudged && kind === "binary" && judge !== null && judge.scale !== "pass_fail") {
    const detail = `Kind "binary" needs the scale "pass_fail"; this judge's is "${judge.scale}".`;
    faults.push({ pointer: `${at}/kind`, detail });
  }
  return faults;
}

function duplicates(names: readonly string[], list: string, field: string): readonly FieldFault[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ pointer: `/${list}/${index}/${field}`, detail: `"${name}" is listed twice.` }],
  );
}
