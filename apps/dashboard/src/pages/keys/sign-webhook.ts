const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export interface Delivery {
  /** `whsec_` and 32 bytes in base64. */
  readonly secret: string;
  readonly id: string;
  /** Whole seconds since 1970. */
  readonly timestamp: string;
  /** Byte for byte as sent. */
  readonly body: string;
}

export type Signed =
  | { readonly kind: "signed"; readonly signature: string }
  | { readonly kind: "not-a-secret" }
  /** Browsers disable cryptography over plain HTTP. */
  | { readonly kind: "no-crypto" };

/** Computes the `webhook-signature` header of Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`, in base64. */
export async function signWebhook({ secret, id, timestamp, body }: Delivery): Promise<Signed> {
  const bytes = parseSecret(secret);
  if (bytes === null) return { kind: "not-a-secret" };
  if (crypto.subtle === undefined) return { kind: "no-crypto" };
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  return { kind: "signed", signature: `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}` };
}

/** Decodes the key from the secret; null when it is not valid. */
function parseSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  const text = secret.trim();
  if (!text.startsWith(PREFIX)) return null;
  try {
    const bytes = Uint8Array.from(atob(text.slice(PREFIX.length)), (character) => character.charCodeAt(0));
    return bytes.length === SECRET_BYTES ? bytes : null;
  } catch {
    return null;
  }
}

/** Formats the delivery as a shell command. */
export function curlCommand(
  { id, timestamp, body }: Omit<Delivery, "secret">,
  signature: string,
  baseUrl: string,
): string {
  const headers = [
    "Content-Type: application/json",
    `webhook-id: ${id}`,
    `webhook-timestamp: ${timestamp}`,
    `webhook-signature: ${signature}`,
  ];
  return [
    `curl -i -X POST ${quoted(`${baseUrl}/v1/business-events`)}`,
    ...headers.map((header) => `  -H ${quoted(header)}`),
    `  --data-binary ${quoted(body)}`,
  ].join(" \\\n");
}

/** Only a single quote needs escaping inside single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
