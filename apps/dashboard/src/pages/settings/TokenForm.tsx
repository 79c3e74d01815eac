import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller, useForm } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Checkbox, type Option, SelectField, TextField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { tokensQuery } from "./queries.ts";

type Role = Wire<"ServiceToken">["role"];

interface TokenValues {
  readonly name: string;
  readonly role: Role;
  readonly days: string;
  readonly runsNights: boolean;
}

const EMPTY: TokenValues = { name: "", role: "member", days: "90", runsNights: false };

const ROLES: readonly Option<Role>[] = [
  { value: "member", label: "member", detail: "Reads everything, edits experiments, runs analyses." },
  {
    value: "admin",
    label: "admin",
    detail: "Also sets prices and allowed origins, and deletes experiments.",
  },
];

const LIFETIMES: readonly Option<string>[] = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "365 days" },
];

/** Makes a service token. The input stays if it fails. */
export function TokenForm({ onMade }: { readonly onMade: (made: Wire<"NewServiceToken">) => void }) {
  const me = useMe();
  const cache = useQueryClient();
  const { control, handleSubmit, reset } = useForm<TokenValues>({ defaultValues: EMPTY });
  const making = useMutation({
    mutationFn: ({ name, role, days, runsNights }: TokenValues) =>
      unwrap(
        api.POST("/v1/service-tokens", {
          body: { name: name.trim(), role, expires_in_days: Number(days), runs_nights: runsNights },
        }),
      ),
    onSuccess: async (made) => {
      reset(EMPTY);
      onMade(made);
      announce("Service token created.");
      await cache.invalidateQueries(tokensQuery());
    },
  });
  return (
    <form className="row settings-form" onSubmit={handleSubmit((values) => making.mutate(values))} noValidate>
      <Controller
        control={control}
        name="name"
        rules={{ validate: (name) => name.trim() !== "" || "Enter what the token is for." }}
        render={({ field: { ref: _ref, ...field }, fieldState }) => (
          <TextField {...field} label="Name" autoComplete="off" error={fieldState.error?.message} />
        )}
      />
      <Controller
        control={control}
        name="role"
        render={({ field: { value, onChange } }) => (
          <SelectField label="Role" value={value} onChange={onChange} options={ROLES} />
        )}
      />
      <Controller
        control={control}
        name="days"
        render={({ field: { value, onChange } }) => (
          <SelectField label="Expires after" value={value} onChange={onChange} options={LIFETIMES} />
        )}
      />
      {me.platform_owner ? (
        <Controller
          control={control}
          name="runsNights"
          render={({ field: { value, onChange } }) => (
            <Checkbox isSelected={value} onChange={onChange}>
              May run the nightly pipeline
            </Checkbox>
          )}
        />
      ) : null}
      <Button type="submit" isPending={making.isPending}>
        Create service token
      </Button>
      {making.error ? <ProblemNotice problem={making.error} /> : null}
    </form>
  );
}
