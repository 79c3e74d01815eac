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

/** Signs a delivery in the page, to compare with what a sender computes. Nothing of it leaves the browser. */
export function SignatureTool() {
  const [delivery, setDelivery] = useDelivery();
  const signed = useSigned(delivery);
  const set = (part: Partial<Delivery>) => setDelivery({ ...delivery, ...part });
  return (
    <Panel title="Sign a delivery by hand">
      <p>
        The signature is <code>v1,</code> and the base64 of HMAC-SHA256 over{" "}
        <code>webhook-id.webhook-timestamp.body</code>; the key is the 32 bytes that the base64 after{" "}
        <code>whsec_</code> stands for. Try here what your sender should compute: everything stays in this
        page.
      </p>
      <div className="form">
        <TextField
          label="Webhook secret"
          type="password"
          autoComplete="off"
          value={delivery.secret}
          onChange={(secret) => set({ secret })}
          hint="Used in this page only; neither sent nor kept."
          error={delivery.secret !== "" && signed?.kind === "not-a-secret" ? NOT_A_SECRET : null}
        />
        <div className="grid-2">
          <TextField
            label="webhook-id"
            value={delivery.id}
            onChange={(id) => set({ id })}
            hint="Names the event: delivered again, it counts once."
          />
          <TextField
            label="webhook-timestamp"
            value={delivery.timestamp}
            onChange={(timestamp) => set({ timestamp })}
            hint="Seconds since 1970. Accepted within five minutes of the service's clock."
          />
        </div>
        <TextArea label="Body" isCode rows={6} value={delivery.body} onChange={(body) => set({ body })} />
        <div className="row">
          <Button onPress={() => set({ timestamp: nowInSeconds() })}>Set the time to now</Button>
        </div>
        <SignedDelivery delivery={delivery} signed={signed} />
      </div>
      <WhyRefused />
    </Panel>
  );
}

const NOT_A_SECRET = "A secret is whsec_ and 32 bytes in base64, as it was shown when it was made.";

function SignedDelivery({
  delivery,
  signed,
}: {
  readonly delivery: Delivery;
  readonly signed: Signed | null;
}) {
  if (signed?.kind === "no-crypto")
    return (
      <Notice tone="warn" title="This browser cannot sign here">
        <p>Browsers offer cryptography on HTTPS pages and localhost only. Open Assay over HTTPS.</p>
      </Notice>
    );
  if (signed?.kind !== "signed")
    return <p className="muted">Fill in the secret to see the header and a command that sends the event.</p>;
  return (
    <>
      <CodeBlock label="The header" text={`webhook-signature: ${signed.signature}`} />
      <CodeBlock label="The whole delivery" text={curlCommand(delivery, signed.signature, location.origin)} />
    </>
  );
}

function WhyRefused() {
  return (
    <Disclosure title="My deliveries get 401">
      <p>Every refusal looks the same, so that a stranger learns nothing. It is one of:</p>
      <ul>
        <li>a header is missing, or the timestamp is no whole number of seconds;</li>
        <li>the timestamp is more than five minutes from the service's clock;</li>
        <li>the body was changed after signing: a space or another order of the keys is enough;</li>
        <li>the key is the text after whsec_ itself, not the bytes that it stands for;</li>
        <li>the secret was replaced, or there is none yet;</li>
        <li>experiment_id is not the id of an experiment of yours; a name will not do.</li>
      </ul>
      <p>
        <a href="/docs">The API's documents</a> have every field of a business event.
      </p>
    </Disclosure>
  );
}

/** A delivery that is right as it stands, but for the secret. */
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

/** The signature of what is typed; of the newest only, however long each takes. */
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
