import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { Loaded } from "../../ui/Loaded.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { BillingPanel } from "./BillingPanel.tsx";
import { PlanLimits } from "./PlanLimits.tsx";
import { UsageMeters } from "./UsageMeters.tsx";

export default function UsagePage() {
  const usage = useQuery(queries.usage());
  return (
    <Page title="Usage & plan" lead="Usage in this UTC calendar month, and the limits of your plan.">
      <Panel title="This month">
        <Loaded query={usage}>{(data) => <UsageMeters usage={data} />}</Loaded>
      </Panel>
      <Panel title="Plan limits">
        <Loaded query={usage}>{(data) => <PlanLimits usage={data} />}</Loaded>
      </Panel>
      <BillingPanel />
    </Page>
  );
}
