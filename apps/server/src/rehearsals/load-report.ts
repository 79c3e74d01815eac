import {
  type Rehearsal,
  type RehearsalInput,
  type RehearsalRecord,
  type RehearsalReport,
  rehearsalFacts,
} from "@assay/domain";
import { analyzeRehearsal } from "@assay/pipeline";
import type { Deps } from "../deps.ts";

/** Inputs whose requests are loaded by one query. */
const PAGE = 500;

/** With more settled requests than this, the analysis would block the event loop, and a thread costs less. */
const MAX_INLINE = 500;

type ReportDeps = {
  readonly control: Pick<Deps["control"], "rehearsals">;
  readonly pipeline: Pick<Deps["pipeline"], "analyzeRehearsal">;
};

/** Gathers what is known of a rehearsal, and analyzes it. */
export async function loadReport(
  rehearsal: Rehearsal,
  { control, pipeline }: ReportDeps,
): Promise<RehearsalReport> {
  const { orgId, id } = rehearsal;
  const inputs: RehearsalInput[] = [];
  const records: RehearsalRecord[] = [];
  for (let after = -1; ; ) {
    const page = await control.rehearsals.listInputs(orgId, id, { after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) break;
    inputs.push(...page);
    records.push(...(await control.rehearsals.listRecords(orgId, id, { after, through: last.place })));
    after = last.place;
  }
  const picks = await control.rehearsals.listPicks(orgId, id);
  const facts = rehearsalFacts(rehearsal, { inputs, records, picks });
  return records.length <= MAX_INLINE ? analyzeRehearsal(facts) : pipeline.analyzeRehearsal(facts);
}

/** How many reports are kept, so that an unchanged report costs nothing. */
const KEPT = 100;
/** While the rehearsal runs, a report is reused for this many times the time it took. */
const REUSE = 20;

interface Kept {
  readonly changedAt: number;
  readonly report: Promise<RehearsalReport>;
  /** Until when it serves although the rehearsal has changed. */
  freshUntil: number;
}

/** Makes what loads reports and keeps the newest ones. */
export function createReports(deps: ReportDeps & Pick<Deps, "clock">) {
  const kept = new Map<string, Kept>();
  return async (rehearsal: Rehearsal): Promise<RehearsalReport> => {
    const { id, changedAt, state } = rehearsal;
    const known = kept.get(id);
    const startedAt = deps.clock.now();
    if (known && (known.changedAt === changedAt || (state === "running" && startedAt < known.freshUntil)))
      return known.report;
    const entry: Kept = { changedAt, report: loadReport(rehearsal, deps), freshUntil: startedAt };
    kept.delete(id);
    kept.set(id, entry);
    for (const oldest of [...kept.keys()].slice(0, -KEPT)) kept.delete(oldest);
    try {
      return await entry.report;
    } catch (error) {
      kept.delete(id);
      throw error;
    } finally {
      const now = deps.clock.now();
      entry.freshUntil = now + REUSE * (now - startedAt);
    }
  };
}
