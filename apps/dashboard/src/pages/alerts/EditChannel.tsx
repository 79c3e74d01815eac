import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Controller, useForm } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Checkbox } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import {
  type ChannelValues,
  NameField,
  TargetField,
  TypesField,
  targetBody,
  targetFault,
} from "./ChannelFields.tsx";
import { type Channel, channelsQuery } from "./queries.ts";

/** Changes a channel in a dialog. */
export function EditChannel({ channel }: { readonly channel: Channel }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)} aria-label={`Edit the channel ${channel.name}`}>
        Edit…
      </Button>
      <Dialog title={`Edit ${channel.name}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <EditForm channel={channel} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function EditForm({ channel, onDone }: { readonly channel: Channel; readonly onDone: () => void }) {
  const { id, kind } = channel;
  const cache = useQueryClient();
  const { control, handleSubmit } = useForm<ChannelValues>({
    defaultValues: { name: channel.name, kind, target: "", types: channel.types, on: channel.on },
  });
  const change = useMutation({
    mutationFn: ({ name, target, types, on }: ChannelValues) => {
      const body = {
        ...{ name, on, types: types && [...types] },
        ...(target.trim() === "" ? {} : targetBody(kind, target)),
      };
      return unwrap(api.PUT("/v1/alert-channels/{id}", { params: { path: { id } }, body }));
    },
    onSuccess: async ({ name }) => {
      onDone();
      announce(`Changed the channel ${name}.`);
      await cache.invalidateQueries(channelsQuery());
    },
  });
  const fault = targetFault(change.error);
  return (
    <form className="alert-form" onSubmit={handleSubmit((values) => change.mutate(values))} noValidate>
      <NameField control={control} />
      <TargetField control={control} kind={kind} fault={fault} isOptional />
      <TypesField control={control} />
      <Controller
        control={control}
        name="on"
        render={({ field: { value, onChange } }) => (
          <Checkbox isSelected={value} onChange={onChange}>
            On
          </Checkbox>
        )}
      />
      {change.error && fault === undefined ? <ProblemNotice problem={change.error} /> : null}
      <div className="dialog-actions">
        <Button onPress={onDone}>Cancel</Button>
        <Button type="submit" look="primary" isPending={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
