import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Time } from "../../ui/Time.tsx";
import { webhookSecretQuery } from "./queries.ts";

/** The secret that signs business events from a backend that has no API key. */
export function WebhookPanel() {
  const status = useQuery(webhookSecretQuery());
  const me = useMe();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Panel title="Webhook secret">
      <p>
        For a payment provider, a queue or another team's backend that reports outcomes (a purchase, a
        renewal) and should hold no API key: it signs each <code>POST /v1/business-events</code> with this
        secret.
      </p>
      <Loaded query={status} lines={2}>
        {({ configured, created_at: createdAt }) => (
          <>
            <p>
              {configured && createdAt ? (
                <>
                  A secret is in force since <Time at={createdAt} />. It was shown once and cannot be read
                  again.
                </>
              ) : (
                "There is no webhook secret yet: every signed event gets 401."
              )}
            </p>
            {secret === null ? null : (
              <ShownOnce name="Your new webhook secret" value={secret} onDone={() => setSecret(null)} />
            )}
            {isAdmin(me) ? (
              <SecretRotation exists={configured} onMade={setSecret} />
            ) : (
              <p className="muted">Ask an admin or owner of your organisation to make or replace it.</p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function SecretRotation({
  exists,
  onMade,
}: {
  readonly exists: boolean;
  readonly onMade: (secret: string) => void;
}) {
  const cache = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const rotate = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/webhook-secrets")),
    onSuccess: async ({ secret }) => {
      onMade(secret);
      setAsking(false);
      announce("New webhook secret made.");
      await cache.invalidateQueries(webhookSecretQuery());
    },
  });
  const ask = () => {
    rotate.reset();
    setAsking(true);
  };
  return (
    <>
      <Button onPress={ask}>{exists ? "Replace the webhook secret…" : "Make a webhook secret…"}</Button>
      <ConfirmDialog
        title={exists ? "Replace the webhook secret?" : "Make a webhook secret?"}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        verb={exists ? "Replace the secret" : "Make the secret"}
        look={exists ? "danger" : "primary"}
        isPending={rotate.isPending}
        problem={rotate.error}
        onConfirm={() => rotate.mutate()}
      >
        <p>
          {exists
            ? "Deliveries signed with the old secret get 401 at once. A sender that delivers again loses nothing: give it the new secret soon."
            : "Whoever has the secret can report business events for your experiments."}
        </p>
      </ConfirmDialog>
    </>
  );
}
