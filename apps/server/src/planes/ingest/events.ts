import { ingest } from "@assay/contract";
import {
  type BatchParts,
  type JsonPart,
  MOST_ROWS,
  nullsBeforeReady,
  parsePart,
  splitBatch,
} from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { sendWire } from "../../http/send-wire.ts";
import { unreadable } from "../../http/validate.ts";
import { acceptBatch } from "../../ingest/accept-batch.ts";
import { readRows, withoutUnread } from "../../ingest/read-rows.ts";
import { admit, holderOf, readChargedBody, senderOf, takeRows } from "./admit.ts";

/** Accepts a batch: every row stands by itself, and what is acknowledged is on disk (contract §6). */
export function registerEvents(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    ingest.postEvents.path,
    { onRequest: admit(ingest.postEvents, "events", deps) },
    async (request, reply) => {
      const body = await readChargedBody(request, deps);
      const { parts, client } = split(body);
      takeRows(holderOf(request), parts.length, deps);
      const rows = await readRows(body, parts).catch(rejectSyntax);
      const { accepted, refused, exhausted, configVersion } = await acceptBatch(
        senderOf(request),
        { rows, body: withoutUnread(body, parts) },
        deps,
      );
      if (accepted === 0 && exhausted !== null) throw exhausted;
      deps.metrics.clientNullsBeforeReady.inc(nullsBeforeReady({ client }));
      const answer = { accepted, config_version: configVersion, rejected: refused };
      return sendWire<typeof ingest.postEvents>(reply, { status: 202, body: answer });
    },
  );
}

interface Split {
  readonly parts: readonly JsonPart[];
  /** The client library's report about itself. */
  readonly client: unknown;
}

function split(body: Buffer): Split {
  try {
    const { rows, others } = splitBatch(body);
    if (rows === null) throw unreadable('The body must be {"events": [...]} or an array of events.');
    if (rows.length === 0) throw unreadable("The batch is empty: send 1 to 1,000 events.");
    if (rows.length > MOST_ROWS)
      throw unreadable("The batch has more than 1,000 events: send at most 1,000.");
    return { parts: rows, client: parseOthers(body, others).get("client") };
  } catch (error) {
    return rejectSyntax(error);
  }
}

/** All of them are parsed, so that what is kept of the body is JSON. */
function parseOthers(body: Buffer, others: BatchParts["others"]): ReadonlyMap<string, unknown> {
  return new Map(
    [...others].map(([name, part]) => {
      if (part.excess !== null) throw unreadable(`What is beside the events ${part.excess}`);
      return [name, parsePart(body, part)];
    }),
  );
}

function rejectSyntax(error: unknown): never {
  // The parser's message quotes the body near the fault: it goes back to the sender and nowhere else.
  if (error instanceof SyntaxError) throw unreadable(`The body is not JSON: ${error.message}`);
  throw error;
}
