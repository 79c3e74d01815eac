import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Wire } from "../../api/types.ts";
import { count } from "../../format/numbers.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { PlanOverride } from "./PlanOverride.tsx";
import { PlatformOnly } from "./PlatformOnly.tsx";
import { platformQueries } from "./queries.ts";

export default function PlatformOrgPage() {
  return (
    <PlatformOnly>
      <OrgPage />
    </PlatformOnly>
  );
}

function OrgPage() {
  const { id } = useParams({ from: "/shell/platform/orgs/$id" });
  const org = useQuery(platformQueries.org(id));
  return (
    <Page
      title={org.data?.name ?? "Organization"}
      lead={<code>{id}</code>}
      actions={<LinkButton to="/platform">All organizations</LinkButton>}
    >
      <Loaded query={org}>
        {(data) => (
          <>
            <Panel title="Plan and usage">
              <Facts facts={factsOf(data)} />
            </Panel>
            <PlanOverride org={data} />
            <MembersPanel org={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function factsOf({ usage, ...org }: Wire<"AdminOrg">) {
  return [
    ["Current plan", org.plan],
    ["Pinned plan", org.plan_override ?? "none"],
    ["Subscription plan", org.subscription_plan],
    [
      `Events in ${usage.month}`,
      usage.event_allowance === null
        ? `${count(usage.events)}, unlimited`
        : `${count(usage.events)} of ${count(usage.event_allowance)}`,
    ],
    [`Judge evaluations in ${usage.month}`, count(usage.judge_evaluations)],
    ["Experiments", count(org.experiments)],
    ["Members", count(org.members)],
    ["Since", <Time key="since" at={org.created_at} />],
  ] as const;
}

function MembersPanel({ org }: { readonly org: Wire<"AdminOrg"> }) {
  return (
    <Panel title="Members">
      <Table
        caption="Members, newest first"
        isCaptionHidden
        narrow="stacks"
        rows={org.member_list}
        rowKey={({ user_id: id }) => id}
        empty={<p className="muted">No members yet.</p>}
        columns={[
          { key: "name", title: "Person", cell: ({ name, email }) => name || email },
          { key: "email", title: "Email", cell: ({ email }) => email },
          { key: "role", title: "Role", cell: ({ role }) => role },
          {
            key: "since",
            title: "Joined",
            cell: ({ joined_at: at }) =>
              at === null ? <span className="muted">Not signed in yet</span> : <Time at={at} />,
          },
        ]}
      />
      {org.members_truncated ? (
        <p className="muted">Only the newest {count(org.member_list.length)} members are shown.</p>
      ) : null}
    </Panel>
  );
}
