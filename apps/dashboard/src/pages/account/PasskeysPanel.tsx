import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { identityQuery } from "../../api/identity.ts";
import { passkeysQuery } from "../../api/passkeys.ts";
import type { Wire } from "../../api/types.ts";
import { AddPasskey } from "../../ui/AddPasskey.tsx";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";

type Passkey = Wire<"Passkey">;

/** The signed-in person's passkeys. Shows nothing where a provider signs people in. */
export function PasskeysPanel() {
  const identity = useQuery(identityQuery());
  if (identity.data?.kind !== "local") return null;
  return (
    <Panel title="Passkeys">
      <p>
        A passkey is kept on your device, phone or security key. Use it to confirm your identity before you
        reveal keys or change what people may do.
      </p>
      <Passkeys />
      <AddPasskey />
    </Panel>
  );
}

function Passkeys() {
  const passkeys = useQuery(passkeysQuery());
  return (
    <Loaded query={passkeys} lines={2}>
      {({ items }) => (
        <Table
          caption="Your passkeys, oldest first"
          isCaptionHidden
          narrow="stacks"
          rows={items}
          rowKey={({ id }) => id}
          empty={<p className="muted">You have no passkey yet.</p>}
          columns={[
            { key: "name", title: "Name", cell: ({ name }: Passkey) => name },
            {
              key: "kept",
              title: "Kept",
              cell: ({ is_backed_up: isBackedUp }) => (isBackedUp ? "on several devices" : "on one device"),
            },
            { key: "since", title: "Added", cell: ({ created_at: at }) => <Time at={at} /> },
            {
              key: "use",
              title: "Last used",
              cell: ({ last_used_at: at }) => (at === null ? "not yet" : <Time at={at} />),
            },
            { key: "change", title: "Actions", cell: (passkey) => <Removal {...passkey} /> },
          ]}
        />
      )}
    </Loaded>
  );
}

function Removal({ id, name }: Passkey) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="Remove…"
      ariaLabel={`Remove the passkey ${name}`}
      title={`Remove the passkey ${name}?`}
      verb="Remove it"
      run={() => unwrap(api.DELETE("/v1/passkeys/{id}", { params: { path: { id } } }))}
      onDone={async () => {
        announce("Passkey removed.");
        await cache.invalidateQueries(passkeysQuery());
      }}
    >
      <p>You can no longer confirm with it. Delete it on the device as well.</p>
    </ConfirmButton>
  );
}
