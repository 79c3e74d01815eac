import { type Described, identifiersOf, type VariableKind } from "./described.ts";

const TYPES: Readonly<Record<VariableKind, string>> = {
  text: "str",
  number: "float",
  boolean: "bool",
  list: "List[Any]",
  object: "Dict[str, Any]",
  any: "Any",
};

/** Writes a module with a Literal for experiments, each one's variants and business metrics, and a TypedDict for variables. */
export function toPython({ experiments, businessMetrics }: Described): string {
  const identifiers = identifiersOf(experiments.map(({ name }) => name));
  const ofExperiments = experiments.map(({ name, variants, variables }) => {
    const own = identifiers.get(name)!;
    const fields = variables.map(([field, kind]) => `${JSON.stringify(field)}: ${TYPES[kind]}`).join(", ");
    return `
${own}Variant = ${literalOf(variants)}
${own}Variables = TypedDict("${own}Variables", {${fields}}, total=False)
`;
  });
  return `from typing import Any, Dict, List, Literal, NoReturn, TypedDict

ExperimentName = ${literalOf(experiments.map(({ name }) => name))}
BusinessMetric = ${literalOf(businessMetrics)}
${ofExperiments.join("")}`;
}

function literalOf(names: readonly string[]): string {
  return names.length === 0 ? "NoReturn" : `Literal[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}
