import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Time } from "../../ui/Time.tsx";
import { Rotation } from "./Rotation.tsx";

/** The secret that signs business events from backends without an API key. */
export function WebhookPanel() {
  const status = useQuery(webhookSecretQuery());
  const me = useMe();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Panel title="Webhook secret">
      <p>
        For a payment provider, a queue or another team's backend that reports outcomes (a purchase, a
        renewal) and should not have an API key. It signs each <code>POST /v1/business-events</code> with this
        secret.
      </p>
      <Loaded query={status} lines={2}>
        {({ configured, created_at: createdAt }) => (
          <>
            <p>
              {configured && createdAt ? (
                <>
                  Active since <Time at={createdAt} />. It was shown once and cannot be shown again.
                </>
              ) : (
                "There is no webhook secret yet, so every signed event gets 401."
              )}
            </p>
            {secret === null ? null : (
              <ShownOnce name="Your new webhook secret" value={secret} onDone={() => setSecret(null)} />
            )}
            {isAdmin(me) ? (
              <Rotation
                name="webhook secret"
                noun="secret"
                exists={configured}
                make={async () => (await unwrap(api.POST("/v1/webhook-secrets"))).secret}
                onMade={setSecret}
                queryKey={webhookSecretQuery().queryKey}
              >
                {configured
                  ? "Deliveries signed with the old secret get 401 immediately. Senders that retry lose nothing if they get the new secret soon."
                  : "Anyone with the secret can report business events for your experiments."}
              </Rotation>
            ) : (
              <p className="muted">Ask an admin or owner of your organization to create or replace it.</p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** Whether a webhook secret exists, and since when. */
const webhookSecretQuery = () =>
  queryOptions({
    queryKey: ["webhook-secret"],
    queryFn: () => unwrap(api.GET("/v1/webhook-secrets")),
  });
