import type { FieldFault } from "../problem.ts";
import type { ExperimentConfig } from "./config.ts";

type Named = Pick<ExperimentConfig, "name" | "variants" | "metrics">;

/**
 * Lists the names that a version introduces and that are not one line without spaces at its ends. Events and commands give names letter by
 * letter, so one that only looks like another is never what somebody meant. Names that the version before had stay.
 */
export function nameFaults(config: Named, before: Named | null): readonly FieldFault[] {
  const known = new Set(before === null ? [] : namesOf(before).map(([, name]) => name));
  return namesOf(config)
    .filter(([, name]) => !known.has(name) && !isPlain(name))
    .map(([pointer, name]) => ({
      pointer,
      detail: `${JSON.stringify(name)} must be one line, without spaces at its ends.`,
    }));
}

function namesOf({ name, variants, metrics }: Named): readonly (readonly [pointer: string, name: string])[] {
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
