import type { Rehearsal } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { loadReport } from "./load-report.ts";

/** Finished inputs between two looks: this many, or this share of the rehearsal's inputs, whichever is more. */
const MIN_INPUTS = 25;
const SHARE = 0.02;

/** Ends rehearsals that know enough. It looks at each from time to time while its inputs are finished. */
export function createLooks({
  control,
  pipeline,
  clock,
  log,
}: Pick<Deps, "control" | "pipeline" | "clock" | "log">) {
  const finished = new Map<string, number>();
  const looking = new Set<string>();

  async function look({ orgId, id }: Rehearsal): Promise<void> {
    const rehearsal = await control.rehearsals.find(orgId, id);
    if (rehearsal?.state !== "running") return;
    const { isEnough } = await loadReport(rehearsal, { control, pipeline });
    if (!isEnough) return;
    await control.transaction(async ({ rehearsals }) => {
      const { state } = await rehearsals.lock(orgId, id);
      if (state === "running")
        await rehearsals.move(rehearsal, { state: "done", endedBecause: "enough", at: clock.now() });
    });
  }

  return {
    /** Notes that an input is finished. */
    async note(rehearsal: Rehearsal): Promise<void> {
      const { id, inputs, stopWhenEnough } = rehearsal;
      if (!stopWhenEnough) return;
      const count = (finished.get(id) ?? 0) + 1;
      finished.set(id, count);
      if (count < Math.max(MIN_INPUTS, SHARE * inputs) || looking.has(id)) return;
      finished.delete(id);
      looking.add(id);
      await look(rehearsal)
        .catch((error: unknown) =>
          log.warn({ err: error }, "could not check whether a rehearsal has enough answers; it continues"),
        )
        .finally(() => looking.delete(id));
    },
  };
}
