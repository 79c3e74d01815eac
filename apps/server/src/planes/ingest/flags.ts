import type { FlagEvaluation } from "@assay/contract";
import type { Assignment } from "@assay/domain";
import type { Static } from "typebox";
import { FLAG_PARTS, type FlagPart, splitFlagKey } from "../../config/flag-key.ts";
import type { ServedConfig, ServedExperiment } from "../../config/snapshots.ts";

/** An experiment, or a part of its content, as a flag. */
export interface Flag {
  readonly key: string;
  readonly experiment: ServedExperiment;
  /** Given by the key's ending. Without one, the flag is the variant's key. */
  readonly part: "variant" | FlagPart;
}

/** A flag with its value for one user. */
export type Evaluation = Static<typeof FlagEvaluation>;

/** Finds the flag of a key. Null when there is none. An experiment whose own name has such an ending takes precedence. */
export function findFlag({ byKey }: Pick<ServedConfig, "byKey">, key: string): Flag | null {
  const named = byKey.get(key);
  if (named !== undefined) return { key, experiment: named, part: "variant" };
  const split = splitFlagKey(key);
  if (split === null) return null;
  const experiment = byKey.get(split.experiment);
  return experiment === undefined ? null : { key, experiment, part: split.part };
}

/** Lists the flags under all of their names. */
export function listFlags({ config, byKey }: Pick<ServedConfig, "config" | "byKey">): readonly Flag[] {
  return config.experiments.flatMap((experiment) => {
    const parts = FLAG_PARTS.map((part) => ({ key: `${experiment.name}.${part}`, experiment, part }));
    const { name: key } = experiment;
    return [{ key, experiment, part: "variant" as const }, ...parts.filter((flag) => !byKey.has(flag.key))];
  });
}

/** Evaluates a flag for an assigned user. Without a value, the application's default applies. */
export function evaluateFlag(
  { key, experiment, part }: Flag,
  { variant, reason }: Pick<Assignment, "variant" | "reason">,
): Evaluation {
  const { id: experimentId, version, variants, status, shipped } = experiment;
  const metadata = { experimentId, version };
  const found = variants.find((one) => one.key === variant);
  if (found === undefined) return { key, reason: status === "running" ? "DEFAULT" : "DISABLED", metadata };
  const value = part === "variant" ? found.key : found[part];
  const prompt = part === "variant" ? found.prompt : null;
  return {
    key,
    ...(value !== null && { value }),
    variant: found.key,
    reason: shipped ? "STATIC" : reason === "qa" ? "TARGETING_MATCH" : "SPLIT",
    metadata: { ...metadata, ...(prompt !== null && { prompt }) },
  };
}
