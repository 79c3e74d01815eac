import { useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { type Channel, channelsQuery, type ShownSecret } from "./queries.ts";

export function RemoveChannel({ channel: { id, name } }: { readonly channel: Channel }) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="Remove…"
      ariaLabel={`Remove the channel ${name}`}
      title={`Remove the channel ${name}?`}
      verb="Remove it"
      run={() => unwrap(api.DELETE("/v1/alert-channels/{id}", { params: { path: { id } } }))}
      onDone={async () => {
        announce(`Removed the channel ${name}.`);
        await cache.invalidateQueries(channelsQuery());
      }}
    >
      <p>Its delivery log is deleted too, and waiting messages are not sent.</p>
    </ConfirmButton>
  );
}

interface RotateSecretProps {
  readonly channel: Channel;
  readonly onSecret: (secret: ShownSecret) => void;
}

export function RotateSecret({ channel: { id, name }, onSecret }: RotateSecretProps) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="New secret…"
      ariaLabel={`New secret for ${name}`}
      title={`Replace the secret of ${name}?`}
      verb="Replace the secret"
      verbLook="primary"
      run={() => unwrap(api.POST("/v1/alert-channels/{id}/secret", { params: { path: { id } } }))}
      onDone={async ({ secret }) => {
        onSecret({ channel: name, secret });
        announce(`Created a new secret for ${name}.`);
        await cache.invalidateQueries(channelsQuery());
      }}
    >
      <p>
        For 24 hours, messages carry the signatures of both secrets. Give the receiver the new one by then.
      </p>
    </ConfirmButton>
  );
}
