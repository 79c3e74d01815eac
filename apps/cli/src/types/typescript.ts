import type { Described, DescribedExperiment, VariableKind } from "./described.ts";

const TYPES: Readonly<Record<VariableKind, string>> = {
  text: "string",
  number: "number",
  boolean: "boolean",
  list: "readonly unknown[]",
  object: "Readonly<Record<string, unknown>>",
  any: "unknown",
};

/** Writes a module that declares experiments, variants, variables and business metrics for the client's types. */
export function toTypeScript({ experiments, businessMetrics }: Described): string {
  return `import "@assay/client";

declare module "@assay/client" {
  interface Experiments {
${experiments.map(experimentOf).join("")}  }

  interface BusinessMetrics {
${businessMetrics.map((name) => `    ${JSON.stringify(name)}: number;\n`).join("")}  }
}
`;
}

function experimentOf({ name, variants, variables }: DescribedExperiment): string {
  const keys = variants.map((key) => JSON.stringify(key)).join(" | ") || "never";
  const fields = variables.map(([field, kind]) => `${JSON.stringify(field)}: ${TYPES[kind]}`).join("; ");
  return `    ${JSON.stringify(name)}: { variant: ${keys}; variables: ${fields === "" ? "{}" : `{ ${fields} }`} };\n`;
}
