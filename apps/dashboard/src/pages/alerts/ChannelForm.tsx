import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller, useForm } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { KIND_WORDS } from "./alert-words.ts";
import {
  type ChannelValues,
  NameField,
  TargetField,
  TypesField,
  targetBody,
  targetFault,
} from "./ChannelFields.tsx";
import { channelsQuery, type Kind, type ShownSecret } from "./queries.ts";

const EMPTY: ChannelValues = { name: "", kind: "webhook", target: "", types: null, on: true };
const KINDS = (Object.keys(KIND_WORDS) as readonly Kind[]).map((value) => ({ value, ...KIND_WORDS[value] }));

interface ChannelFormProps {
  readonly hasMail: boolean;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** Creates a channel. The input stays if it fails. */
export function ChannelForm({ hasMail, onSecret }: ChannelFormProps) {
  const cache = useQueryClient();
  const { control, handleSubmit, reset, watch } = useForm<ChannelValues>({ defaultValues: EMPTY });
  const kind = watch("kind");
  const making = useMutation({
    mutationFn: ({ name, kind, target, types }: ChannelValues) => {
      const body = { name, kind, types: types && [...types], ...targetBody(kind, target) };
      return unwrap(api.POST("/v1/alert-channels", { body }));
    },
    onSuccess: async ({ name, secret }) => {
      reset(EMPTY);
      if (secret !== null) onSecret({ channel: name, secret });
      announce(`Created the channel ${name}.`);
      await cache.invalidateQueries(channelsQuery());
    },
  });
  const fault = targetFault(making.error);
  return (
    <form className="alert-form" onSubmit={handleSubmit((values) => making.mutate(values))} noValidate>
      <div className="row">
        <Controller
          control={control}
          name="kind"
          render={({ field: { value, onChange } }) => (
            <SelectField
              label="Kind"
              value={value}
              onChange={onChange}
              options={KINDS}
              error={
                kind === "email" && !hasMail
                  ? "This installation cannot send mail until its operator sets ASSAY_SMTP_URL and ASSAY_SMTP_FROM."
                  : null
              }
            />
          )}
        />
        <NameField control={control} />
      </div>
      <TargetField control={control} kind={kind} fault={fault} />
      <TypesField control={control} />
      {making.error && fault === undefined ? <ProblemNotice problem={making.error} /> : null}
      <Button type="submit" look="primary" isPending={making.isPending}>
        Create channel
      </Button>
    </form>
  );
}
