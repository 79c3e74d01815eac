import type { IncomingHttpHeaders } from "node:http";
import type { DomainError } from "@assay/domain";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

/** The headers that sign a request in the Standard Webhooks scheme. */
export type SignatureHeaders = Readonly<
  Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>
>;

/** Reads the signature's headers, under the first prefix that has all three. Throws `refusal` when none has. */
export function signatureHeaders(
  headers: IncomingHttpHeaders,
  refusal: () => DomainError,
  prefixes: readonly string[] = ["webhook"],
): SignatureHeaders {
  for (const prefix of prefixes) {
    const [id, timestamp, signature] = ["id", "timestamp", "signature"].map(
      (part) => headers[`${prefix}-${part}`],
    );
    if (typeof id !== "string" || typeof timestamp !== "string" || typeof signature !== "string") continue;
    if (id === "" || timestamp === "" || signature === "") continue;
    return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  }
  throw refusal();
}

/** Returns whether one of the signatures is by the secret (`whsec_<base64>`) and at most five minutes old or ahead. Compares in constant time. */
export function isSigned(body: Buffer, headers: SignatureHeaders, secret: string): boolean {
  try {
    new Webhook(secret).verify(body.toString("utf8"), headers, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
