import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { useMe } from "../../shell/use-me.ts";
import { leave } from "../../shell/use-sign-out.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { PasskeysPanel } from "./PasskeysPanel.tsx";

type Session = Wire<"Session">;

const sessionsQuery = () =>
  queryOptions({ queryKey: ["sessions"], queryFn: () => unwrap(api.GET("/v1/sessions")) });

/** The signed-in person and their sessions. */
export default function AccountPage() {
  const me = useMe();
  return (
    <Page title="Account" lead="Who you are here, and where you are signed in.">
      <Panel title="You">
        <Facts
          facts={[
            ["Name", me.name],
            ["Email", me.email],
            ["Role", me.role],
          ]}
        />
      </Panel>
      <PasskeysPanel />
      <SessionsPanel />
    </Page>
  );
}

function SessionsPanel() {
  const sessions = useQuery(sessionsQuery());
  const endAll = useMutation({
    mutationFn: () => unwrap(api.DELETE("/v1/sessions")),
    onSuccess: leave,
  });
  return (
    <Panel
      title="Sessions"
      actions={
        <Button onPress={() => endAll.mutate()} isPending={endAll.isPending}>
          Sign out everywhere
        </Button>
      }
    >
      {endAll.error ? <ProblemNotice problem={endAll.error} /> : null}
      <Loaded query={sessions}>
        {({ items }) => (
          <Table
            caption="Your sessions, latest use first"
            isCaptionHidden
            narrow="stacks"
            rows={items}
            rowKey={({ id }) => id}
            empty={
              <p className="muted">Your identity provider manages this session. Sign out there to end it.</p>
            }
            columns={[
              {
                key: "device",
                title: "Browser",
                cell: ({ user_agent: agent, is_current: isCurrent }: Session) => (
                  <>
                    {agent || "Unknown"}
                    {isCurrent ? <span className="muted"> (this one)</span> : null}
                  </>
                ),
              },
              { key: "since", title: "Signed in", cell: ({ started_at: at }) => <Time at={at} /> },
              { key: "use", title: "Last used", cell: ({ last_used_at: at }) => <Time at={at} /> },
              { key: "change", title: "Actions", cell: (session) => <EndSession {...session} /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function EndSession({ id, is_current: isCurrent, user_agent: agent }: Session) {
  const cache = useQueryClient();
  const end = useMutation({
    mutationFn: () => unwrap(api.DELETE("/v1/sessions/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      if (isCurrent) return leave();
      announce("Session ended.");
      await cache.invalidateQueries(sessionsQuery());
    },
  });
  return (
    <>
      <Button
        onPress={() => end.mutate()}
        isPending={end.isPending}
        aria-label={`End the session of ${agent || "an unknown browser"}`}
      >
        End
      </Button>
      {end.error ? <ProblemNotice problem={end.error} /> : null}
    </>
  );
}
