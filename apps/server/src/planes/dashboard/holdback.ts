import { experiments as operations } from "@assay/contract";
import { holdbackEnd, textChanges } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";

export const getHoldback = defineRoute(operations.getHoldback, async ({ params, caller }, { control }) => {
  const { id, config } = await control.experiments.get(caller.orgId, params.id);
  const { holdback } = config;
  const stored = holdback && (await control.holdbackReports.find(caller.orgId, id));
  // The stored report may belong to an earlier holdback, from before the experiment ran again.
  const report = stored?.from === holdback?.from ? stored : null;
  return {
    experimentId: id,
    computedAt: report?.computedAt ?? null,
    endsAt: holdback && holdbackEnd(holdback),
    weeks: report?.weeks ?? [],
    overall: report?.overall ?? null,
    comparedWith: report?.comparedWith ?? null,
    changes: report?.changes ?? [],
    textChanges:
      holdback === null
        ? []
        : textChanges((await control.experiments.listVersions(caller.orgId, id)).toReversed()),
  };
});
