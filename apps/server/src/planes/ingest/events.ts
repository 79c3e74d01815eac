import { ingest } from "@assay/contract";
import { nullsBeforeReady, rowsOfBody } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { parseJson } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { unreadable } from "../../http/validate.ts";
import { acceptBatch } from "../../ingest/accept-batch.ts";
import { admit, holderOf, readChargedBody, senderOf, takeRows } from "./admit.ts";

const MAX_EVENTS = 1_000;

/** Accepts a batch: every row stands by itself, and what is acknowledged is on disk (contract §6). */
export function registerEvents(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    ingest.postEvents.path,
    { onRequest: admit(ingest.postEvents, "events", deps) },
    async (request, reply) => {
      const body = await readChargedBody(request, deps);
      const batch = parseJson(body);
      const rows = rowsOf(batch);
      takeRows(holderOf(request), rows.length, deps);
      const { accepted, refused, exhausted, configVersion } = await acceptBatch(
        senderOf(request),
        { rows, body },
        deps,
      );
      if (accepted === 0 && exhausted !== null) throw exhausted;
      deps.metrics.clientNullsBeforeReady.inc(nullsBeforeReady(batch));
      const answer = { accepted, config_version: configVersion, rejected: refused };
      return sendWire<typeof ingest.postEvents>(reply, { status: 202, body: answer });
    },
  );
}

function rowsOf(body: unknown): readonly unknown[] {
  const rows = rowsOfBody(body);
  if (rows === null) throw unreadable('The body must be {"events": [...]} or an array of events.');
  if (rows.length === 0) throw unreadable("The batch is empty: send 1 to 1,000 events.");
  if (rows.length > MAX_EVENTS) throw unreadable(`The batch has ${rows.length} events: send at most 1,000.`);
  return rows;
}
