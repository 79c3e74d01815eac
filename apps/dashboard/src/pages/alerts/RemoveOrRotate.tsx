import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { type Channel, channelsQuery, type ShownSecret } from "./queries.ts";

export function RemoveChannel({ channel: { id, name } }: { readonly channel: Channel }) {
  const cache = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const removal = useMutation({
    mutationFn: () => unwrap(api.DELETE("/v1/alert-channels/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      setOpen(false);
      announce(`Removed the channel ${name}.`);
      await cache.invalidateQueries(channelsQuery());
    },
  });
  return (
    <>
      <Button onPress={() => setOpen(true)} aria-label={`Remove the channel ${name}`}>
        Remove…
      </Button>
      <ConfirmDialog
        title={`Remove the channel ${name}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Remove it"
        isPending={removal.isPending}
        problem={removal.error}
        onConfirm={() => removal.mutate()}
      >
        <p>Its delivery log is deleted too, and waiting messages are not sent.</p>
      </ConfirmDialog>
    </>
  );
}

interface RotateSecretProps {
  readonly channel: Channel;
  readonly onSecret: (secret: ShownSecret) => void;
}

export function RotateSecret({ channel: { id, name }, onSecret }: RotateSecretProps) {
  const cache = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const rotation = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/alert-channels/{id}/secret", { params: { path: { id } } })),
    onSuccess: async ({ secret }) => {
      setOpen(false);
      onSecret({ channel: name, secret });
      announce(`Created a new secret for ${name}.`);
      await cache.invalidateQueries(channelsQuery());
    },
  });
  return (
    <>
      <Button onPress={() => setOpen(true)} aria-label={`New secret for ${name}`}>
        New secret…
      </Button>
      <ConfirmDialog
        title={`Replace the secret of ${name}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Replace the secret"
        look="primary"
        isPending={rotation.isPending}
        problem={rotation.error}
        onConfirm={() => rotation.mutate()}
      >
        <p>
          For 24 hours, messages carry the signatures of both secrets. Give the receiver the new one by then.
        </p>
      </ConfirmDialog>
    </>
  );
}
