import { ImportQuery, ingest } from "@assay/contract";
import { DomainError } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../deps.ts";
import { discardRest, followConnection, hasNoBody, leaveBodies } from "../../http/follow-connection.ts";
import { sendWire } from "../../http/send-wire.ts";
import { compileCheck, rejectQuery, rejectRepeated } from "../../http/validate.ts";
import type { AcceptRows } from "../../import/accept-chunk.ts";
import { emptyFile, formatOf, importBytes } from "../../import/import-body.ts";
import { createImportSlots } from "../../import/import-slots.ts";
import { runImport } from "../../import/run-import.ts";
import { acceptBatch, tryBatches } from "../../ingest/accept-batch.ts";
import { admit, senderOf } from "./admit.ts";

const IMPORTS_AT_A_TIME = 2;
const MAX_WAITING = 8;

const checkQuery = compileCheck(ImportQuery);

/** Imports a file of events. Its body is read as a stream, so no parser touches it. */
export function registerImport(plane: FastifyInstance, deps: Deps): void {
  const slots = createImportSlots(IMPORTS_AT_A_TIME, MAX_WAITING);
  const closing = new AbortController();
  leaveBodies(plane);
  plane.addHook("onRequest", admit(ingest.postImport, "import", deps));
  plane.addHook("preClose", (done) => {
    closing.abort(
      new DomainError("storage-unavailable", "The service is stopping.", { retryAfterSeconds: 10 }),
    );
    done();
  });
  plane.post(ingest.postImport.path, async (request, reply) => {
    const { signal, isGone } = followConnection(reply, closing.signal);
    try {
      const body = await importFile(request, signal, { ...deps, slots });
      return sendWire<typeof ingest.postImport>(reply, { status: 200, body });
    } catch (error) {
      // The client has disconnected. Accepted rows stay, and sending the file again is safe.
      if (isGone()) return reply.hijack();
      discardRest(request, reply);
      // A stopping service cannot wait for the rest of the body.
      if (closing.signal.aborted) reply.header("connection", "close");
      throw error;
    }
  });
}

async function importFile(
  request: FastifyRequest,
  signal: AbortSignal,
  deps: Deps & { readonly slots: ReturnType<typeof createImportSlots> },
) {
  const sender = senderOf(request, "import");
  rejectRepeated(request.query);
  rejectQuery(checkQuery(request.query));
  const isDryRun = (request.query as { dry_run?: string }).dry_run === "true";
  if (hasNoBody(request)) throw emptyFile();
  const file = { format: formatOf(request.headers), bytes: importBytes(request.raw), signal };
  const left = await deps.allowance.left(sender.orgId);
  if (!isDryRun && left?.events === 0) throw left.exhausted;
  const leave = await deps.slots.take(signal);
  try {
    const accept: AcceptRows = isDryRun
      ? tryBatches(sender, left, deps)
      : (rows, body) => acceptBatch(sender, { rows, body }, deps);
    const tally = await runImport({ ...file, accept });
    return tally.result(isDryRun);
  } finally {
    leave();
  }
}
