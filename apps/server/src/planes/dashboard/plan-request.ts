import {
  DomainError,
  type FieldFault,
  invalidBody,
  type MetricDefinition,
  type MetricKind,
} from "@assay/domain";

interface SentBaseline {
  readonly value: number;
  readonly sd?: number;
}

/** By metric. */
export type SentBaselines = ReadonlyMap<string, SentBaseline>;

/** Throws `invalid-body` for what no schema can check: unknown metrics, and baselines that do not suit a metric's kind. */
export function rejectUnfit(
  asked: readonly string[],
  baselines: SentBaselines,
  metrics: readonly MetricDefinition[],
): void {
  const kinds = new Map(metrics.map(({ name, kind }) => [name, kind]));
  const unknown = (name: string) => `"${name}" is not a metric of this experiment.`;
  const faults = [
    ...asked.flatMap((name, index) =>
      kinds.has(name) ? [] : [{ pointer: `/metrics/${index}`, detail: unknown(name) }],
    ),
    ...[...baselines].flatMap(([name, baseline]) => {
      const kind = kinds.get(name);
      if (kind === undefined) return [{ pointer: "/baselines", detail: unknown(name) }];
      return baselineFaults(`/baselines/${name}`, kind, baseline);
    }),
  ];
  if (faults.length > 0) throw invalidBody(faults);
}

function baselineFaults(
  pointer: string,
  kind: MetricKind,
  { value, sd }: SentBaseline,
): readonly FieldFault[] {
  if (kind !== "binary") {
    return sd === undefined ? [{ pointer: `${pointer}/sd`, detail: `is required for kind "${kind}".` }] : [];
  }
  const faults: FieldFault[] = [];
  if (value < 0 || value > 1) {
    faults.push({ pointer: `${pointer}/value`, detail: "The share of users must be between 0 and 1." });
  }
  if (sd !== undefined) {
    faults.push({
      pointer: `${pointer}/sd`,
      detail: "The share of users already determines it: leave it out.",
    });
  }
  return faults;
}

/** Runs a check of a part of a body and prefixes its faults' pointers with that part's place. */
export function faultsUnder<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== "invalid-body") throw error;
    throw invalidBody(error.faults.map(({ pointer, detail }) => ({ pointer: place + pointer, detail })));
  }
}
