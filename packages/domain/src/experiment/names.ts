import type { FieldFault } from "../problem.ts";
import type { ExperimentConfig } from "./config.ts";

/**
 * Lists the names that have several lines, or spaces at an end. Events and commands must match a name exactly, so a name that only
 * looks like another is never intended.
 */
export function checkNames(config: ExperimentConfig): readonly FieldFault[] {
  return namesOf(config)
    .filter(([, name]) => !isPlain(name))
    .map(([pointer, name]) => ({
      pointer,
      detail: `${JSON.stringify(name)} must be one line, without spaces at its ends.`,
    }));
}

function namesOf({
  name,
  variants,
  metrics,
}: ExperimentConfig): readonly (readonly [pointer: string, name: string])[] {
  return [
    ["/name", name],
    ...variants.map(({ key }, index) => [`/variants/${index}/key`, key] as const),
    ...metrics.flatMap(({ source }, index) =>
      source.event === "business_event"
        ? [[`/metrics/${index}/source/business_metric`, source.businessMetric] as const]
        : [],
    ),
  ];
}

const isPlain = (name: string) => name.trim() === name && name !== "" && !/[\p{Cc}\u2028\u2029]/u.test(name);
