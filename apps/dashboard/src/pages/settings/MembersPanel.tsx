import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type Identity, identityQuery } from "../../api/identity.ts";
import type { WhoAmI } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { MemberActions } from "./MemberActions.tsx";
import { type Member, membersQuery } from "./queries.ts";
import { mayChange, ROLE_WORDS, ROLES } from "./roles.ts";
import "./settings.css";

/** The members of the org. Admins remove members here and, unless a provider names them, change roles. */
export function MembersPanel() {
  const me = useMe();
  const identity = useQuery(identityQuery());
  return (
    <Panel title="Members">
      <Loaded query={identity}>
        {(data) => (
          <>
            <WhereManaged identity={data} me={me} />
            <MemberTable me={me} identity={data} />
          </>
        )}
      </Loaded>
      <ul className="settings-roles">
        {ROLES.map((role) => (
          <li key={role}>
            <strong>{role}</strong>: {ROLE_WORDS[role]}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function WhereManaged({ identity, me }: { readonly identity: Identity; readonly me: WhoAmI }) {
  if (identity.kind !== "local")
    return (
      <Notice tone="info" title="Members are managed elsewhere">
        <p>
          People come from the identity provider{" "}
          {identity.issuer === null ? identity.kind : <code>{identity.issuer}</code>}.{" "}
          {identity.roles === "here"
            ? "Roles that it names are changed there, all other roles here."
            : "So do their roles: change them there."}{" "}
          An admin can remove people here immediately: they stay out until an admin invites them again.
        </p>
      </Notice>
    );
  return me.role === "member" ? (
    <p className="muted">Ask an admin or owner to change roles, or to remove or invite members.</p>
  ) : null;
}

interface MemberTableProps {
  readonly me: WhoAmI;
  readonly identity: Identity;
}

function MemberTable({ me, identity }: MemberTableProps) {
  const canChange = isAdmin(me);
  const members = useInfiniteQuery(membersQuery());
  return (
    <Loaded query={members}>
      {({ pages }) => (
        <>
          <Table
            caption="Members, newest first"
            isCaptionHidden
            narrow="stacks"
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ user_id: id }) => id}
            columns={[
              { key: "person", title: "Person", cell: (member) => <Person member={member} me={me} /> },
              { key: "role", title: "Role", cell: ({ role }) => role },
              { key: "since", title: "Joined", cell: Since },
              {
                key: "change",
                title: "Actions",
                cell: (member) =>
                  canChange && mayChange(me.role, member.role) ? (
                    <MemberActions member={member} mine={me.role} identity={identity} />
                  ) : (
                    <span className="muted">{canChange ? "Only owners can change owners." : "–"}</span>
                  ),
              },
            ]}
          />
          <MoreButton query={members}>Show more members</MoreButton>
        </>
      )}
    </Loaded>
  );
}

function Person({ member, me }: { readonly member: Member; readonly me: WhoAmI }) {
  return (
    <span className="settings-person">
      <span>
        {member.name || member.email}
        {member.user_id === me.user_id ? " (you)" : ""}
      </span>
      {member.name && member.name !== member.email ? <span className="muted">{member.email}</span> : null}
    </span>
  );
}

function Since({ joined_at: at }: Member) {
  return at === null ? <span className="muted">Not signed in yet</span> : <Time at={at} />;
}
