import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queries } from "../../api/queries.ts";
import { Button } from "../../ui/Button.tsx";
import { CodeBlock } from "../../ui/Copy.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { TextArea, TextField } from "../../ui/Field.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { curlCommand, type Delivery, type Signed, signWebhook } from "./sign-webhook.ts";

const NO_EXPERIMENT = "your experiment's id";
const nowInSeconds = () => String(Math.floor(Date.now() / 1000));

/** Signs a delivery in the browser, to compare with a sender's signature. Nothing leaves the browser. */
export function SignatureTool() {
  const [delivery, setDelivery] = useDelivery();
  const signed = useSigned(delivery);
  const set = (part: Partial<Delivery>) => setDelivery({ ...delivery, ...part });
  return (
    <Panel title="Sign a test delivery">
      <p>
        The signature is <code>v1,</code> plus the base64 of an HMAC-SHA256 over{" "}
        <code>webhook-id.webhook-timestamp.body</code>. The key is the 32 bytes encoded in base64 after{" "}
        <code>whsec_</code> in the secret. Use this form to check your sender's signature. Everything stays in
        your browser.
      </p>
      <div className="form">
        <TextField
          label="Webhook secret"
          type="password"
          autoComplete="off"
          value={delivery.secret}
          onChange={(secret) => set({ secret })}
          hint="Used only in this page; neither sent nor stored."
          error={delivery.secret !== "" && signed?.kind === "not-a-secret" ? NOT_A_SECRET : null}
        />
        <div className="grid-2">
          <TextField
            label="webhook-id"
            value={delivery.id}
            onChange={(id) => set({ id })}
            hint="Identifies the event, so that repeated deliveries count once."
          />
          <TextField
            label="webhook-timestamp"
            value={delivery.timestamp}
            onChange={(timestamp) => set({ timestamp })}
            hint="Unix time in seconds. Must be within five minutes of the service's clock."
          />
        </div>
        <TextArea label="Body" isCode rows={6} value={delivery.body} onChange={(body) => set({ body })} />
        <div className="row">
          <Button onPress={() => set({ timestamp: nowInSeconds() })}>Use the current time</Button>
        </div>
        <SignedDelivery delivery={delivery} signed={signed} />
      </div>
      <Troubleshooting />
    </Panel>
  );
}

const NOT_A_SECRET = "A secret is whsec_ followed by 32 bytes in base64.";

function SignedDelivery({
  delivery,
  signed,
}: {
  readonly delivery: Delivery;
  readonly signed: Signed | null;
}) {
  if (signed?.kind === "no-crypto")
    return (
      <Notice tone="warn" title="This browser cannot sign on this page">
        <p>Browsers allow cryptography only over HTTPS and on localhost. Open Assay over HTTPS.</p>
      </Notice>
    );
  if (signed?.kind !== "signed")
    return <p className="muted">Enter the secret to see the header and a command that sends the event.</p>;
  return (
    <>
      <CodeBlock label="Header" text={`webhook-signature: ${signed.signature}`} />
      <CodeBlock label="Full delivery" text={curlCommand(delivery, signed.signature, location.origin)} />
    </>
  );
}

function Troubleshooting() {
  return (
    <Disclosure title="Deliveries get 401?">
      <p>All refusals look the same, so that attackers learn nothing. Possible causes:</p>
      <ul>
        <li>A header is missing, or the timestamp is not a whole number of seconds.</li>
        <li>The timestamp is more than five minutes off the service's clock.</li>
        <li>The body changed after signing; even a space or another key order matters.</li>
        <li>The sender uses the text after whsec_ as the key, not the decoded bytes.</li>
        <li>The secret was replaced, or none exists yet.</li>
        <li>experiment_id is not the id of one of your experiments. A name does not work.</li>
      </ul>
      <p>
        See <a href="/docs">the API documentation</a> for all fields of a business event.
      </p>
    </Disclosure>
  );
}

/** The state of the form: a valid delivery except for the secret. */
function useDelivery() {
  const experiment = useQuery(queries.overview()).data?.items.at(0)?.id;
  const [delivery, setDelivery] = useState<Delivery>(() => ({
    secret: "",
    id: "order-1001",
    timestamp: nowInSeconds(),
    body: exampleBody(NO_EXPERIMENT),
  }));
  useEffect(() => {
    if (experiment === undefined) return;
    setDelivery((now) =>
      now.body === exampleBody(NO_EXPERIMENT) ? { ...now, body: exampleBody(experiment) } : now,
    );
  }, [experiment]);
  return [delivery, setDelivery] as const;
}

function exampleBody(experiment: string): string {
  return JSON.stringify(
    { experiment_id: experiment, user_id: "ann", business_metric: "revenue", value: 12.5 },
    null,
    1,
  );
}

/** The signature of the current input; slower results of older input are dropped. */
function useSigned(delivery: Delivery): Signed | null {
  const [signed, setSigned] = useState<Signed | null>(null);
  useEffect(() => {
    let isCurrent = true;
    signWebhook(delivery).then((next) => {
      if (isCurrent) setSigned(next);
    });
    return () => {
      isCurrent = false;
    };
  }, [delivery]);
  return signed;
}
