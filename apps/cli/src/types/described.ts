import type { ExperimentSchema } from "@assay/contract";
import type { Static } from "typebox";

/** The JSON type of a variable's values; `any` when it differs between variants. */
export type VariableKind = "text" | "number" | "boolean" | "list" | "object" | "any";

/** The names of one experiment that an application may use. */
export interface DescribedExperiment {
  readonly name: string;
  readonly variants: readonly string[];
  /** Sorted by name. */
  readonly variables: readonly (readonly [name: string, kind: VariableKind])[];
}

/** All names that an application may use, sorted. */
export interface Described {
  readonly experiments: readonly DescribedExperiment[];
  /** The `business_metric` names from which metrics are computed. */
  readonly businessMetrics: readonly string[];
}

type Experiment = Pick<Static<typeof ExperimentSchema>, "name" | "variants" | "metrics">;

/** Collects the names that an application may use. */
export function describe(experiments: readonly Experiment[]): Described {
  const sources = experiments.flatMap(({ metrics }) =>
    metrics.flatMap(({ source }) => (source?.event === "business_event" ? [source.business_metric] : [])),
  );
  return {
    experiments: experiments
      .map(({ name, variants = [] }) => ({
        name,
        variants: variants.map(({ key }) => key),
        variables: variablesOf(variants.map(({ variables }) => variables ?? {})),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    businessMetrics: [...new Set(sources)].sort(),
  };
}

function variablesOf(variants: readonly object[]): readonly (readonly [string, VariableKind])[] {
  const kinds = new Map<string, VariableKind>();
  for (const [name, value] of variants.flatMap((variables) => Object.entries(variables))) {
    const [kind, known] = [kindOf(value), kinds.get(name)];
    kinds.set(name, known === undefined || known === kind ? kind : "any");
  }
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
}

function kindOf(value: unknown): VariableKind {
  if (Array.isArray(value)) return "list";
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
    case "boolean":
      return typeof value as "number" | "boolean";
    default:
      return value === null ? "any" : "object";
  }
}

/** Makes a PascalCase identifier from each name. All differ from each other and from the reserved ones, ignoring case. */
export function identifiersOf(
  names: readonly string[],
  reserved: readonly string[] = [],
): ReadonlyMap<string, string> {
  const taken = new Set(reserved.map((name) => name.toLowerCase()));
  return new Map(
    names.map((name) => {
      const words = name.normalize("NFKD").match(/[A-Za-z0-9]+/g) ?? ["Unnamed"];
      const pascal = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
      const start = /^[0-9]/.test(pascal) ? `_${pascal}` : pascal;
      let own = start;
      for (let number = 2; taken.has(own.toLowerCase()); number++) own = `${start}${number}`;
      taken.add(own.toLowerCase());
      return [name, own];
    }),
  );
}
