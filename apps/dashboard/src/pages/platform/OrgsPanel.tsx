import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Wire } from "../../api/types.ts";
import { count, percent } from "../../format/numbers.ts";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { platformQueries } from "./queries.ts";

type OrgSummary = Wire<"AdminOrgSummary">;

const COLUMNS: readonly Column<OrgSummary>[] = [
  {
    key: "name",
    title: "Organization",
    cell: ({ org_id: id, name }) => (
      <Link to="/platform/orgs/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { key: "plan", title: "Plan", cell: planInWords },
  { key: "members", title: "Members", isNumeric: true, cell: ({ members }) => count(members) },
  {
    key: "experiments",
    title: "Experiments",
    isNumeric: true,
    cell: ({ experiments }) => count(experiments),
  },
  { key: "events", title: "Events this month", isNumeric: true, cell: eventsInWords },
  { key: "since", title: "Since", cell: ({ created_at: at }) => <Time at={at} /> },
];

/** Every org, newest first. */
export function OrgsPanel() {
  const orgs = useInfiniteQuery(platformQueries.orgs());
  return (
    <Panel title="Organizations">
      <Loaded query={orgs}>
        {({ pages }) => (
          <Table
            caption="Organizations, newest first"
            isCaptionHidden
            narrow="stacks"
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ org_id: id }) => id}
            columns={COLUMNS}
          />
        )}
      </Loaded>
      <MoreButton query={orgs}>Show more organizations</MoreButton>
    </Panel>
  );
}

function planInWords({ plan, plan_override: pinned, subscription_plan: paid }: OrgSummary): string {
  if (pinned !== null) return `${plan}, pinned`;
  return plan === paid ? plan : `${plan}, subscription ${paid}`;
}

function eventsInWords({ usage: { events, event_allowance: allowance } }: OrgSummary): string {
  return allowance === null
    ? count(events)
    : `${count(events)} (${percent(events / Math.max(allowance, 1), 2)})`;
}
