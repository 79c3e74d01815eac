import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller, useForm } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import type { Wire } from "../../api/types.ts";
import { useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField, TextField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { invitationsQuery, type Role } from "./queries.ts";
import { givableBy, ROLE_WORDS } from "./roles.ts";

interface InviteValues {
  readonly email: string;
  readonly role: Role;
}

const EMPTY: InviteValues = { email: "", role: "member" };

/** Creates an invitation link. The input stays if it fails. */
export function InviteForm({ onMade }: { readonly onMade: (made: Wire<"Invitation">) => void }) {
  const me = useMe();
  const cache = useQueryClient();
  const { control, handleSubmit, reset } = useForm<InviteValues>({ defaultValues: EMPTY });
  const invite = useMutation({
    mutationFn: (values: InviteValues) => unwrap(api.POST("/v1/invitations", { body: values })),
    onSuccess: async (made) => {
      reset(EMPTY);
      onMade(made);
      announce("Invitation link created.");
      await cache.invalidateQueries(invitationsQuery());
    },
  });
  const emailFault = faultAt(invite.error, "/email");
  return (
    <form className="row settings-form" onSubmit={handleSubmit((values) => invite.mutate(values))} noValidate>
      <Controller
        control={control}
        name="email"
        rules={{ required: "Enter an email address." }}
        render={({ field: { ref: _ref, ...field }, fieldState }) => (
          <TextField
            {...field}
            label="Email"
            type="email"
            autoComplete="off"
            error={fieldState.error?.message ?? emailFault}
          />
        )}
      />
      <Controller
        control={control}
        name="role"
        render={({ field: { value, onChange } }) => (
          <SelectField
            label="Role"
            value={value}
            onChange={onChange}
            options={givableBy(me.role).map((role) => ({
              value: role,
              label: role,
              detail: ROLE_WORDS[role],
            }))}
          />
        )}
      />
      <Button type="submit" isPending={invite.isPending}>
        Create invitation link
      </Button>
      {invite.error && emailFault === null ? <ProblemNotice problem={invite.error} /> : null}
    </form>
  );
}

function faultAt(error: Error | null, pointer: string): string | null {
  if (!(error instanceof Problem)) return null;
  return error.faults.find((fault) => fault.pointer === pointer)?.detail ?? null;
}
