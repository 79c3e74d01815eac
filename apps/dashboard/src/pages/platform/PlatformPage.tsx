import { useQuery } from "@tanstack/react-query";
import type { Wire } from "../../api/types.ts";
import { count } from "../../format/numbers.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { DeadLettersPanel } from "./DeadLettersPanel.tsx";
import { HealthPanel } from "./HealthPanel.tsx";
import { OrgsPanel } from "./OrgsPanel.tsx";
import { PipelinePanel } from "./PipelinePanel.tsx";
import { PlatformOnly } from "./PlatformOnly.tsx";
import { platformQueries } from "./queries.ts";
import { SeatsPanel } from "./SeatsPanel.tsx";
import { TrafficChart } from "./TrafficChart.tsx";

export default function PlatformPage() {
  return (
    <PlatformOnly>
      <Page
        title="Platform"
        lead="All organizations of this installation, and the health of the service."
        actions={<LinkButton to="/platform/inbox">Inbox</LinkButton>}
      >
        <HealthPanel />
        <DeadLettersPanel />
        <OverviewPanel />
        <OrgsPanel />
        <PipelinePanel />
        <SeatsPanel />
      </Page>
    </PlatformOnly>
  );
}

function OverviewPanel() {
  const overview = useQuery(platformQueries.overview());
  return (
    <Panel title="Totals">
      <Loaded query={overview}>
        {(data) => (
          <div className="form">
            <Facts facts={totals(data)} />
            <TrafficChart traffic={data.traffic} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function totals(data: Wire<"AdminOverview">): readonly (readonly [string, string])[] {
  const { draft, running, stopped } = data.experiments;
  return [
    ["Organizations", count(data.orgs)],
    ["Users", count(data.users)],
    ["Experiments", `${count(running)} running, ${count(draft)} draft, ${count(stopped)} stopped`],
    [
      "Plans",
      Object.entries(data.plans)
        .filter(([, orgs]) => orgs > 0)
        .map(([plan, orgs]) => `${count(orgs)} ${plan}`)
        .join(", ") || "none",
    ],
    ["Events this month", count(data.events_this_month)],
    ["Judge evaluations this month", count(data.judge_evaluations_this_month)],
  ];
}
