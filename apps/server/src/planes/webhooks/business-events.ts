import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { webhooks } from "@assay/contract";
import { DomainError, flattenEvent, invalidBody, isId, type RawEvent, webhookBinding } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../deps.ts";
import { readBody, rejectExcess } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { unreadable } from "../../http/validate.ts";
import { acceptBatch } from "../../ingest/accept-batch.ts";
import { readSignedBodies } from "./signed-bodies.ts";
import { isSigned, type SignatureHeaders, signatureHeaders } from "./standard-webhook.ts";

const MAX_BODY_BYTES = 256 * 1024;
const NO_ORG = "00000000-0000-0000-0000-000000000000";

/** Accepts one business event, signed by the Standard Webhooks scheme with the secret of the org that owns its experiment. */
export function registerBusinessEvents(plane: FastifyInstance, deps: Deps): void {
  const { signatures, businessEvents } = deps.rateLimits;
  const verifiedOrg = orgVerifier(deps);
  readSignedBodies(plane, { maxBytes: MAX_BODY_BYTES, check: headersOf }, deps);
  plane.post(webhooks.postBusinessEvent.path, async (request, reply) => {
    const headers = headersOf(request.headers);
    const body = await readBody(request, MAX_BODY_BYTES);
    const row = parseRow(body);
    const orgId = await verifiedOrg({ experimentId: experimentIdOf(row), headers, body, request });
    signatures.giveBack(request.ip);
    businessEvents.take(orgId);
    const configVersion = await accept(orgId, completeEvent(row, headers), deps);
    const answer = { accepted: 1, config_version: configVersion, rejected: [] };
    return sendWire<typeof webhooks.postBusinessEvent>(reply, { status: 202, body: answer });
  });
}

function headersOf(headers: IncomingHttpHeaders): SignatureHeaders {
  return signatureHeaders(headers, invalidSignature);
}

/** Throws `invalid-signature` for a body without an experiment, because then no secret can verify it. */
function parseRow(body: Buffer): RawEvent {
  rejectExcess(body);
  let row: RawEvent | null;
  try {
    row = flattenEvent(JSON.parse(body.toString("utf8")));
  } catch {
    row = null;
  }
  if (row === null) throw invalidSignature();
  return row;
}

/** Accepts ids only: without a key, a name could mean an experiment of any org. */
function experimentIdOf({ experiment_id }: RawEvent): string {
  if (isId(experiment_id)) return experiment_id;
  throw invalidSignature();
}

interface SignedRequest {
  readonly experimentId: string;
  readonly headers: SignatureHeaders;
  readonly body: Buffer;
  readonly request: FastifyRequest;
}

/**
 * Makes the function that finds the org whose secret signed a request. On any mismatch it throws the same
 * `invalid-signature` after the same steps, so neither the answer nor its timing reveals which experiments exist.
 */
function orgVerifier({ control, sealer }: Pick<Deps, "control" | "sealer">) {
  // An org without a secret is checked against a random one.
  const decoy = `whsec_${randomBytes(32).toString("base64")}`;
  const nobodys = { orgId: NO_ORG, sealed: sealer.seal(decoy, webhookBinding(NO_ORG)) };
  return async ({ experimentId, headers, body, request }: SignedRequest): Promise<string> => {
    const orgId = await control.experiments.findOrgId(experimentId);
    const found = (await control.webhookSecrets.find(orgId ?? NO_ORG)) ?? nobodys;
    const secret = sealer.open(found.sealed, webhookBinding(found.orgId)) ?? decoy;
    const isVerified = isSigned(body, headers, secret);
    // The org that owns the named experiment sees the refusal in its security log.
    request.principal = orgId === null ? null : { orgId, actor: null };
    if (!isVerified || orgId === null) throw invalidSignature();
    return orgId;
  };
}

function invalidSignature(): DomainError {
  return new DomainError(
    "invalid-signature",
    "The signature could not be verified. Check that webhook-signature is v1,<base64 HMAC-SHA256 of " +
      '"<webhook-id>.<webhook-timestamp>.<body>"> with the bytes after whsec_ (base64) of the org\'s current secret, that ' +
      "webhook-timestamp is in seconds and at most five minutes away, and that the body is JSON whose experiment_id is the " +
      "id, not the name, of an experiment of this org.",
  );
}

/** A repeated delivery has the same webhook-id, so it is the same event and counts once. */
function completeEvent(row: RawEvent, headers: SignatureHeaders): RawEvent {
  const type = row.type ?? "business_event";
  if (type !== "business_event")
    throw invalidBody([
      { pointer: "/type", detail: "must be business_event; other events need an API key." },
    ]);
  return {
    ...row,
    type,
    event_id: row.event_id ?? headers["webhook-id"],
    timestamp: row.timestamp ?? Number.parseInt(headers["webhook-timestamp"], 10) * 1000,
  };
}

/** Returns the config version once the event is on disk. */
async function accept(orgId: string, event: RawEvent, deps: Deps): Promise<number> {
  const rows = [event];
  const sender = { orgId, provenance: { source: "signed", keyPrefix: null, client: null } } as const;
  const { refused, exhausted, configVersion } = await acceptBatch(
    sender,
    { rows, body: Buffer.from(JSON.stringify(rows)) },
    deps,
  );
  if (exhausted !== null) throw exhausted;
  const [refusal] = refused;
  if (refusal) throw unreadable(refusal.detail);
  return configVersion;
}
