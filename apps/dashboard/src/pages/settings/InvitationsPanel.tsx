import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { identityQuery } from "../../api/identity.ts";
import type { Wire } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { InviteForm } from "./InviteForm.tsx";
import { OneTimeLink } from "./OneTimeLink.tsx";
import { invitationsQuery } from "./queries.ts";

type Pending = Wire<"PendingInvitation">;

/** Invites people by link, and withdraws unused links. */
export function InvitationsPanel() {
  const me = useMe();
  const identity = useQuery(identityQuery());
  return (
    <Panel title="Invitations">
      <Loaded query={identity} lines={2}>
        {({ kind }) => {
          if (!isAdmin(me)) return <p>Ask an admin or owner to invite members.</p>;
          return (
            <>
              {kind === "local" ? null : (
                <p>
                  New people join with their first sign-in at the identity provider. To let somebody return
                  whom you removed, invite them: their next sign-in with this email works again.
                </p>
              )}
              <Invitations />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Invitations() {
  const [made, setMade] = useState<Wire<"Invitation"> | null>(null);
  const pending = useInfiniteQuery(invitationsQuery());
  return (
    <>
      <InviteForm onMade={setMade} />
      {made === null ? null : <OneTimeLink key={made.id} invitation={made} onDone={() => setMade(null)} />}
      <Loaded query={pending} lines={2}>
        {({ pages }) => (
          <Table
            caption="Pending invitations, newest first"
            narrow="stacks"
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<p className="muted">No pending invitations.</p>}
            columns={[
              { key: "person", title: "Person", cell: ({ email }: Pending) => email },
              { key: "role", title: "Role", cell: ({ role }) => role },
              { key: "until", title: "Valid until", cell: ({ expires_at: at }) => <Time at={at} /> },
              { key: "change", title: "Actions", cell: (invitation) => <Withdrawal {...invitation} /> },
            ]}
          />
        )}
      </Loaded>
      <MoreButton query={pending}>Show more invitations</MoreButton>
    </>
  );
}

function Withdrawal({ id, email }: Pending) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="Withdraw…"
      ariaLabel={`Withdraw the invitation of ${email}`}
      title={`Withdraw the invitation of ${email}?`}
      verb="Withdraw it"
      run={() => unwrap(api.DELETE("/v1/invitations/{id}", { params: { path: { id } } }))}
      onDone={async () => {
        announce(`Withdrew the invitation of ${email}.`);
        await cache.invalidateQueries(invitationsQuery());
      }}
    >
      <p>The link stops working immediately.</p>
    </ConfirmButton>
  );
}
