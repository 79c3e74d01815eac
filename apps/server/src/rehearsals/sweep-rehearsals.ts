import type { Deps } from "../deps.ts";

const PAGE = 100;

/**
 * Makes the task that removes the texts of rehearsals whose dataset was removed, because their answers reveal the
 * inputs, and the rehearsals of deleted orgs.
 */
export function rehearsalTask({
  control,
  clock,
}: Pick<Deps, "clock"> & {
  readonly control: Pick<Deps["control"], "rehearsals" | "datasets">;
}): () => Promise<void> {
  return async () => {
    await control.rehearsals.removeOfDeletedOrgs();
    for (let after = ""; ; ) {
      const page = await control.rehearsals.listWithTexts({ after, limit: PAGE });
      for (const rehearsal of page) {
        const { orgId, plan } = rehearsal;
        if ((await control.datasets.find(orgId, plan.datasetId)) === null)
          await control.rehearsals.forgetTexts(rehearsal, clock.now());
      }
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  };
}
