import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Identity } from "../../api/identity.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/Dialog.tsx";
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
      {kind === "local" || roles === "here" ? <RoleChange member={member} mine={mine} /> : null}
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
  const [isOpen, setOpen] = useState(false);
  const [role, setRole] = useState(member.role);
  const change = useMemberMutation(
    () => unwrap(api.PUT("/v1/members/{id}", { params: { path: { id: member.user_id } }, body: { role } })),
    () => {
      setOpen(false);
      announce(`Changed the role of ${member.email} to ${role}.`);
    },
  );
  const open = () => {
    change.reset();
    setRole(member.role);
    setOpen(true);
  };
  return (
    <>
      <Button onPress={open} aria-label={`Change the role of ${member.email}`}>
        Role…
      </Button>
      <ConfirmDialog
        title={`Change the role of ${member.email}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb={`Make them ${role}`}
        look="primary"
        isPending={change.isPending}
        problem={change.error}
        onConfirm={() => change.mutate()}
      >
        <SelectField
          label="Role"
          value={role}
          onChange={setRole}
          options={givableBy(mine).map((value) => ({ value, label: value, detail: ROLE_WORDS[value] }))}
        />
        <p>It applies from their next request on.</p>
      </ConfirmDialog>
    </>
  );
}

function Removal({ member }: MemberProps) {
  const [isOpen, setOpen] = useState(false);
  const removal = useMemberMutation(
    () => unwrap(api.DELETE("/v1/members/{id}", { params: { path: { id: member.user_id } } })),
    () => {
      setOpen(false);
      announce(`Removed ${member.email}.`);
    },
  );
  const open = () => {
    removal.reset();
    setOpen(true);
  };
  return (
    <>
      <Button onPress={open} aria-label={`Remove ${member.email}`}>
        Remove…
      </Button>
      <ConfirmDialog
        title={`Remove ${member.email}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Remove them"
        isPending={removal.isPending}
        problem={removal.error}
        onConfirm={() => removal.mutate()}
      >
        <p>
          Their sessions end immediately. What they created stays, and so do their audit entries. They can
          return only with a new invitation.
        </p>
      </ConfirmDialog>
    </>
  );
}

/** For a member who lost their passkeys. */
function PasskeyReset({ member }: MemberProps) {
  const [isOpen, setOpen] = useState(false);
  const path = { id: member.user_id };
  const reset = useMemberMutation(
    () => unwrap(api.DELETE("/v1/members/{id}/passkeys", { params: { path } })),
    () => {
      setOpen(false);
      announce(`Removed the passkeys of ${member.email}.`);
    },
  );
  const open = () => {
    reset.reset();
    setOpen(true);
  };
  return (
    <>
      <Button onPress={open} aria-label={`Reset the passkeys of ${member.email}`}>
        Passkeys…
      </Button>
      <ConfirmDialog
        title={`Remove all passkeys of ${member.email}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Remove their passkeys"
        isPending={reset.isPending}
        problem={reset.error}
        onConfirm={() => reset.mutate()}
      >
        <p>
          For somebody who lost theirs. It also ends their sessions: give them a new sign-in link, with which
          they can add a passkey.
        </p>
      </ConfirmDialog>
    </>
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

/** Changes a member and refreshes members and invitations, because a change revokes these. */
function useMemberMutation<T>(change: () => Promise<T>, onDone: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      onDone();
      await Promise.all(
        ["members", "invitations", "whoami", "passkey-requirement"].map((key) =>
          cache.invalidateQueries({ queryKey: [key] }),
        ),
      );
    },
  });
}
