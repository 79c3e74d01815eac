import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";

type Event = Wire<"SecurityEvent">;

const PAGE = 50;

const WORDS: Readonly<Record<Event["event"], string>> = {
  "security.sign_in.accepted": "Signed in",
  "security.sign_in.refused": "Sign-in refused",
  "security.sign_out.accepted": "Signed out",
  "security.credential.refused": "Credential refused (401)",
  "security.permission.refused": "Permission refused (403)",
  "security.webhook.refused": "Signature refused",
  "security.key.rotated": "API key created",
  "security.key.revealed": "API key revealed",
  "security.webhook_secret.rotated": "Webhook secret created",
  "security.token.created": "Service token created",
  "security.token.revoked": "Service token revoked",
  "security.scim_token.rotated": "SCIM token created",
  "security.scim_token.revoked": "SCIM token revoked",
  "security.passkey.added": "Passkey added",
  "security.passkey.removed": "Passkey removed",
  "security.passkey.refused": "Passkey refused",
};

const eventsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["security-events"],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/v1/security-events", {
          params: { query: { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The organization's own security events, for its admins. */
export default function SecurityPage() {
  const me = useMe();
  return (
    <Page
      title="Security"
      lead="Sign-ins, refused requests, and changes to keys, tokens and passkeys in the last 90 days. All other changes are in the audit log."
    >
      <Panel title="Events">
        {isAdmin(me) ? <Events /> : <p>Ask an admin or owner to look at the security events.</p>}
      </Panel>
    </Page>
  );
}

function Events() {
  const events = useInfiniteQuery(eventsQuery());
  return (
    <>
      <Loaded query={events}>
        {({ pages }) => (
          <Table
            caption="Security events, newest first"
            isCaptionHidden
            narrow="stacks"
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<p className="muted">No events yet.</p>}
            columns={[
              { key: "at", title: "When", cell: ({ at }: Event) => <Time at={at} /> },
              { key: "event", title: "Event", cell: What },
              { key: "who", title: "Who", cell: ({ actor }) => actor?.name ?? "Unknown" },
              { key: "network", title: "Network", cell: ({ network }) => network ?? "Several" },
              { key: "route", title: "Request", cell: Request },
            ]}
          />
        )}
      </Loaded>
      <MoreButton query={events}>Show older events</MoreButton>
    </>
  );
}

function What({ event, subject, left_out: leftOut }: Event) {
  return (
    <>
      {leftOut === 0 ? WORDS[event] : `${WORDS[event]}, ${counted(leftOut, "more time")}`}
      {subject === null ? null : (
        <>
          {" "}
          <code>{subject}…</code>
        </>
      )}
    </>
  );
}

function Request({ route, reason }: Event) {
  return (
    <>
      {route === null ? "Any" : <code>{route}</code>}
      {reason === null ? null : <span className="muted"> {reason}</span>}
    </>
  );
}
