import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Identity } from "../../api/identity.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { OneTimeLink } from "./OneTimeLink.tsx";
import type { Member, Role } from "./queries.ts";
import { givableBy, ROLE_WORDS } from "./roles.ts";

interface MemberProps {
  readonly member: Member;
}

interface ActionProps extends MemberProps {
  readonly mine: Role;
  readonly identity: Identity;
}

/** The actions of an admin on a member. An identity provider signs people in, and may name their roles. */
export function MemberActions({ member, mine, identity: { kind, roles } }: ActionProps) {
  return (
    <div className="row settings-actions">
      {kind === "local" || roles === "here" ? (
        <RoleChange key={member.role} member={member} mine={mine} />
      ) : null}
      {kind === "local" ? (
        <>
          <SignInLink member={member} />
          <PasskeyReset member={member} />
        </>
      ) : null}
      <Removal member={member} />
    </div>
  );
}

function RoleChange({ member, mine }: MemberProps & { readonly mine: Role }) {
  const [role, setRole] = useState(member.role);
  const refresh = useRefresh();
  return (
    <ConfirmButton
      label="Role…"
      ariaLabel={`Change the role of ${member.email}`}
      title={`Change the role of ${member.email}`}
      verb={`Make them ${role}`}
      verbLook="primary"
      run={() =>
        unwrap(api.PUT("/v1/members/{id}", { params: { path: { id: member.user_id } }, body: { role } }))
      }
      onDone={() => {
        announce(`Changed the role of ${member.email} to ${role}.`);
        return refresh();
      }}
    >
      <SelectField
        label="Role"
        value={role}
        onChange={setRole}
        options={givableBy(mine).map((value) => ({ value, label: value, detail: ROLE_WORDS[value] }))}
      />
      <p>It applies from their next request on.</p>
    </ConfirmButton>
  );
}

function Removal({ member }: MemberProps) {
  const refresh = useRefresh();
  return (
    <ConfirmButton
      label="Remove…"
      ariaLabel={`Remove ${member.email}`}
      title={`Remove ${member.email}?`}
      verb="Remove them"
      run={() => unwrap(api.DELETE("/v1/members/{id}", { params: { path: { id: member.user_id } } }))}
      onDone={() => {
        announce(`Removed ${member.email}.`);
        return refresh();
      }}
    >
      <p>
        Their sessions end immediately. What they created stays, and so do their audit entries. They can
        return only with a new invitation.
      </p>
    </ConfirmButton>
  );
}

/** For a member who lost their passkeys. */
function PasskeyReset({ member }: MemberProps) {
  const refresh = useRefresh();
  const path = { id: member.user_id };
  return (
    <ConfirmButton
      label="Passkeys…"
      ariaLabel={`Reset the passkeys of ${member.email}`}
      title={`Remove all passkeys of ${member.email}?`}
      verb="Remove their passkeys"
      run={() => unwrap(api.DELETE("/v1/members/{id}/passkeys", { params: { path } }))}
      onDone={() => {
        announce(`Removed the passkeys of ${member.email}.`);
        return refresh();
      }}
    >
      <p>
        For somebody who lost theirs. It also ends their sessions: give them a new sign-in link, with which
        they can add a passkey.
      </p>
    </ConfirmButton>
  );
}

/** A new sign-in link for a member, for a lost link or a new computer. */
function SignInLink({ member }: MemberProps) {
  const link = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/invitations", { body: { email: member.email } })),
    onSuccess: () => announce("Sign-in link created."),
  });
  const isOpen = link.data !== undefined || link.error !== null;
  return (
    <>
      <Button
        onPress={() => link.mutate()}
        isPending={link.isPending}
        aria-label={`New sign-in link for ${member.email}`}
      >
        Sign-in link
      </Button>
      <Dialog title={`Sign-in link for ${member.email}`} isOpen={isOpen} onClose={link.reset}>
        {link.error ? <ProblemNotice problem={link.error} onRetry={() => link.mutate()} /> : null}
        {link.data ? <OneTimeLink invitation={link.data} onDone={link.reset} /> : null}
      </Dialog>
    </>
  );
}

/** Refreshes members and invitations, because a change of a member revokes these. */
function useRefresh() {
  const cache = useQueryClient();
  return () =>
    Promise.all(
      ["members", "invitations", "whoami", "passkey-requirement"].map((key) =>
        cache.invalidateQueries({ queryKey: [key] }),
      ),
    );
}
