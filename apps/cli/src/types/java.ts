import { type Described, identifiersOf } from "./described.ts";

const RESERVED = new Set(
  `_ abstract assert boolean break byte case catch char class const continue default do double else enum extends false final
  finally float for goto if implements import instanceof int interface long native new null package private protected public
  return short static strictfp super switch synchronized this throw throws transient true try void volatile while`.split(
    /\s+/,
  ),
);

/** Returns whether the name is a valid Java package name. */
export function isJavaPackage(name: string): boolean {
  return name.split(".").every((part) => /^[A-Za-z_]\w*$/.test(part) && !RESERVED.has(part));
}

/** Writes a class of constants: the name, variants and variables of each experiment, and the business metrics. */
export function toJava({ experiments, businessMetrics }: Described, packageName: string): string {
  const identifiers = identifiersOf(
    experiments.map(({ name }) => name),
    // A nested class with this name would hide the outer class or Java's `String`.
    ["Experiments", "String"],
  );
  const classes = experiments.map(({ name, variants, variables }) =>
    classOf(identifiers.get(name)!, [
      `    public static final String NAME = ${literal(name)};\n`,
      ...constants("VARIANT", variants),
      ...constants(
        "VARIABLE",
        variables.map(([field]) => field),
      ),
    ]),
  );
  return `package ${packageName};

public final class Experiments {
  private Experiments() {}

${constants("METRIC", businessMetrics, "  ").join("")}
${classes.join("\n")}}
`;
}

function classOf(name: string, members: readonly string[]): string {
  return `  public static final class ${name} {
    private ${name}() {}

${members.join("")}  }
`;
}

function constants(prefix: string, names: readonly string[], indent = "    "): readonly string[] {
  const identifiers = identifiersOf(names);
  return names.map((name) => {
    const words = identifiers.get(name)!.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_");
    return `${indent}public static final String ${prefix}_${words.toUpperCase()} = ${literal(name)};\n`;
  });
}

/** Escapes everything but ASCII, because javac reads a file in the system's encoding. */
function literal(name: string): string {
  return JSON.stringify(name).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
