import type { Experiment, Results, Wire } from "../../api/types.ts";

type Version = Wire<"ExperimentVersion">;
type Content = Pick<NonNullable<Experiment["variants"]>[number], "prompt" | "variables">;

/** What a variant's users got during a run. */
export interface RunText extends Content {
  /** When the first users of the run could get it; null: from the start. */
  readonly since: string | null;
}

/**
 * Returns the version that was current at the end of a run's window, because a night may be computed after a change
 * that none of its users saw. Versions are newest first, as the API lists them.
 */
export function versionOfRun(
  versions: readonly Version[],
  { window }: Pick<Results, "window">,
): Version | null {
  const end = Date.parse(window.to);
  return versions.find(({ updated_at }) => Date.parse(updated_at) < end) ?? versions.at(-1) ?? null;
}

/** Lists what a variant's users got during a run, oldest first: the last text, and those that it replaced within the window. */
export function textsOfRun(
  versions: readonly Version[],
  { window }: Pick<Results, "window">,
  key: string,
): readonly RunText[] {
  const last = versionOfRun(versions, { window });
  const start = window.from === null ? Number.NEGATIVE_INFINITY : Date.parse(window.from);
  const texts: RunText[] = [];
  for (const { version, updated_at: at, variants = [] } of versions.toReversed()) {
    const found = variants.find((variant) => variant.key === key);
    if (found === undefined || version > (last?.version ?? 0)) continue;
    const { prompt, variables } = found;
    const before = texts.at(-1);
    if (before !== undefined && isSame(before, found)) continue;
    // A text that was replaced before the run's first user arrived does not belong to the run.
    const isFromStart = Date.parse(at) <= start || version === versions.at(-1)?.version;
    if (isFromStart) texts.length = 0;
    texts.push({ prompt, variables, since: isFromStart ? null : at });
  }
  return texts;
}

/** Returns a variant's text at the time when another variant's text began: the last one from then or before. */
export function textAt(texts: readonly RunText[], since: string | null): RunText | null {
  const begins = (at: string | null) => (at === null ? Number.NEGATIVE_INFINITY : Date.parse(at));
  return texts.findLast((text) => begins(text.since) <= begins(since)) ?? null;
}

function isSame(a: Content, b: Content): boolean {
  const text = ({ prompt = null, variables = null }: Content) => JSON.stringify([prompt, variables]);
  return text(a) === text(b);
}
