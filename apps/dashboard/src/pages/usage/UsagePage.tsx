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
    <Page title="Usage & plan" lead="What this UTC calendar month has used, and what your plan allows.">
      <Panel title="This month">
        <Loaded query={usage}>{(data) => <UsageMeters usage={data} />}</Loaded>
      </Panel>
      <Panel title="What your plan allows">
        <Loaded query={usage}>{(data) => <PlanLimits usage={data} />}</Loaded>
      </Panel>
      <BillingPanel />
    </Page>
  );
}
