import { type BodyOf, inbox as operations } from "@assay/contract";
import { DomainError, isRecord, toInstant, toRetrySeconds } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { compileReaders } from "../../http/define-route.ts";
import { networkOf } from "../../http/rate-limits.ts";
import { sendWire } from "../../http/send-wire.ts";

const operation = operations.postContact;
const read = compileReaders(operation);
const MAX_BYTES = 64 * 1024;
const HOUR_MS = 3_600_000;

/** A `/v1` route without any credential: a honeypot and an hourly cap per network protect it (spec §4). */
export function registerContact(app: FastifyInstance, deps: Deps): void {
  app.register(async (plane) => {
    plane.removeContentTypeParser("text/plain");
    plane.post(operation.path, { bodyLimit: MAX_BYTES }, async (request, reply) => {
      // Checked first, so that no answer reveals to a robot that it was recognized.
      if (!isTrapped(request.body)) {
        const message = read(request).body as BodyOf<typeof operation>;
        await takeMessage(message, request.ip, deps);
      }
      return sendWire<typeof operation>(reply, { status: 202 });
    });
  });
}

function isTrapped(body: unknown): boolean {
  return isRecord(body) && typeof body.website === "string" && body.website !== "";
}

/** The cap counts stored messages, so it holds across restarts and processes. */
async function takeMessage(
  { name, email, message, company }: BodyOf<typeof operation>,
  address: string,
  { control, sealer, clock, newId, contactPerHour }: Deps,
): Promise<void> {
  const now = clock.now();
  const sender = sealer.fingerprint(networkOf(address));
  await control.transaction(async ({ inbox }) => {
    await inbox.lockContacts();
    const sentAt = await inbox.listContactTimes(sender, now - HOUR_MS + 1);
    const heldUpBy = sentAt.at(-contactPerHour);
    if (heldUpBy !== undefined) throw tooMany(contactPerHour, { now, freeAt: heldUpBy + HOUR_MS });
    await inbox.putContact({ id: newId(), at: now, name, email, company: company ?? null, message }, sender);
  });
}

/** There is room again an hour after the oldest of the messages that the cap counts. */
function tooMany(quota: number, { now, freeAt }: { readonly now: number; readonly freeAt: number }) {
  return new DomainError(
    "rate-limited",
    `${quota} messages an hour are accepted from one address. The next one can be sent at ${toInstant(freeAt)}.`,
    {
      retryAfterSeconds: toRetrySeconds(freeAt - now),
      limit: { policy: "contact", quota, windowSeconds: HOUR_MS / 1000 },
    },
  );
}
