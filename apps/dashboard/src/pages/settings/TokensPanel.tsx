import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { tokensQuery } from "./queries.ts";
import { TokenForm } from "./TokenForm.tsx";

type Token = Wire<"ServiceToken">;

/** What stops a token that has neither expired nor been revoked. */
const REFUSALS: Readonly<Record<NonNullable<Token["refused_because"]>, string>> = {
  expired: "Expired",
  "maker-gone": "Refused: the person who made it has left",
  "maker-lost-role": "Refused: the person who made it now has a lower role",
};

/** Makes, lists and revokes the tokens with which machines call the API. */
export function TokensPanel() {
  const me = useMe();
  return (
    <Panel title="Service tokens">
      <p className="muted">
        For machines: set one as <code>ASSAY_TOKEN</code> for the command line, or send it as{" "}
        <code>Authorization: Bearer</code>. A token manages no members, keys, billing or other tokens.
      </p>
      {isAdmin(me) ? <Tokens /> : <p>Ask an admin or owner to make a service token.</p>}
    </Panel>
  );
}

function Tokens() {
  const [made, setMade] = useState<Wire<"NewServiceToken"> | null>(null);
  const tokens = useQuery(tokensQuery());
  return (
    <>
      <TokenForm onMade={setMade} />
      {made === null ? null : (
        <ShownOnce
          key={made.id}
          name={`Service token ${made.name}`}
          value={made.token}
          onDone={() => setMade(null)}
        />
      )}
      <Loaded query={tokens} lines={2}>
        {({ items }) => (
          <Table
            caption="Service tokens, newest first"
            narrow="stacks"
            rows={items}
            rowKey={({ id }) => id}
            empty={<p className="muted">No service tokens.</p>}
            columns={[
              { key: "token", title: "Token", cell: TokenName },
              { key: "role", title: "Role", cell: TokenRights },
              { key: "made", title: "Made by", cell: ({ made_by: madeBy }: Token) => madeBy },
              { key: "used", title: "Last use", cell: LastUse },
              { key: "until", title: "Valid until", cell: Validity },
              { key: "change", title: "Actions", cell: (token) => <Revocation {...token} /> },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}

function TokenName({ name, prefix }: Token) {
  return (
    <span className="settings-person">
      {name}
      <code className="muted">{prefix}…</code>
    </span>
  );
}

function TokenRights({ role, runs_nights: runsNights }: Token) {
  return runsNights ? `${role}, runs nights` : role;
}

function LastUse({ last_used_at: at }: Token) {
  return at === null ? "Not used yet" : <Time at={at} isRelative />;
}

function Validity({ expires_at: at, refused_because: reason }: Token) {
  return (
    <span className="settings-person">
      <Time at={at} />
      {reason === null ? null : <strong>{REFUSALS[reason]}</strong>}
    </span>
  );
}

function Revocation({ id, name }: Token) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="Revoke…"
      ariaLabel={`Revoke the service token ${name}`}
      title={`Revoke the service token ${name}?`}
      verb="Revoke it"
      run={() => unwrap(api.DELETE("/v1/service-tokens/{id}", { params: { path: { id } } }))}
      onDone={async () => {
        announce(`Revoked the service token ${name}.`);
        await cache.invalidateQueries(tokensQuery());
      }}
    >
      <p>Machines that use it get 401 from their next request on.</p>
    </ConfirmButton>
  );
}
