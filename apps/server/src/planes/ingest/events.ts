import { ingest } from "@assay/contract";
import {
  type BatchParts,
  type JsonPart,
  MOST_ROWS,
  nullsBeforeReady,
  parsePart,
  readSmallBatch,
  splitBatch,
} from "@assay/domain";
import type { FastifyInstance } from "fastify";
import { runAs } from "../../current-work.ts";
import type { Deps } from "../../deps.ts";
import { type DirectAnswer, type DirectRoute, directJson } from "../../http/direct-answers.ts";
import { requestIdOf } from "../../http/request-id.ts";
import { sendWire } from "../../http/send-wire.ts";
import { unreadable } from "../../http/validate.ts";
import { type Acceptance, acceptBatch, acceptUncounted, countAcceptance } from "../../ingest/accept-batch.ts";
import { readRows, withoutUnread } from "../../ingest/read-rows.ts";
import { nextTurn } from "../../next-turn.ts";
import {
  admit,
  directEntry,
  holderAsSender,
  holderOf,
  readChargedBody,
  senderOf,
  takeRows,
} from "./admit.ts";

/** Accepts a batch. Each row is judged by itself, and acknowledged rows are on disk (contract §6). */
export function registerEvents(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    ingest.postEvents.path,
    { onRequest: admit(ingest.postEvents, "events", deps) },
    async (request, reply) => {
      const received = await readChargedBody(request, deps);
      const { rows, body, client } = await readBatch(received, (count) =>
        takeRows(holderOf(request), count, deps),
      );
      const acceptance = await acceptBatch(senderOf(request), { rows, body }, deps);
      if (acceptance.accepted === 0 && acceptance.exhausted !== null) throw acceptance.exhausted;
      deps.metrics.clientNullsBeforeReady.inc(nullsBeforeReady({ client }));
      return sendWire<typeof ingest.postEvents>(reply, { status: 202, body: wireOf(acceptance) });
    },
  );
}

/** Accepts a usual batch within its rates. Batches beyond the month's allowance or the queue's room go to the framework. */
export function directEvents(deps: Deps): DirectRoute {
  const entry = directEntry(ingest.postEvents, "events", deps);
  return {
    method: "POST",
    path: ingest.postEvents.path,
    answer(headers, body) {
      if (headers["content-type"] !== "application/json" || headers["content-encoding"] !== undefined)
        return null;
      const holder = entry.find(headers);
      const rows = holder && readSmallBatch(body);
      if (holder === null || rows === null) return null;
      entry.take(holder, body.length, rows.length);
      const leave = () => {
        entry.giveBack(holder, body.length, rows.length);
        return null;
      };
      return runAs({ requestId: requestIdOf({ headers }) }, () =>
        acceptUncounted(holderAsSender(holder, headers), { rows, body }, deps),
      ).then((acceptance) => directAnswerOf(acceptance, deps) ?? leave(), leave);
    },
  };
}

function directAnswerOf(acceptance: Acceptance, deps: Pick<Deps, "metrics">): DirectAnswer | null {
  if (acceptance.accepted === 0 && acceptance.exhausted !== null) return null;
  countAcceptance(acceptance, deps);
  return directJson(202, wireOf(acceptance));
}

const wireOf = ({ accepted, configVersion, refused }: Acceptance) => ({
  accepted,
  config_version: configVersion,
  rejected: refused,
});

interface ReadBatch {
  readonly rows: readonly unknown[];
  /** The part of the body that is kept. */
  readonly body: Buffer;
  /** The client library's report about itself. */
  readonly client: unknown;
}

/** Charges the rows to the rate, then reads the batch. */
async function readBatch(body: Buffer, charge: (rows: number) => void): Promise<ReadBatch> {
  const small = readSmallBatch(body);
  if (small !== null) {
    charge(small.length);
    return { rows: small, body, client: undefined };
  }
  // Several large bodies may have arrived at once.
  await nextTurn();
  const { parts, client } = split(body);
  charge(parts.length);
  const rows = await readRows(body, parts).catch(rejectSyntax);
  return { rows, body: withoutUnread(body, parts), client };
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

/** Parses all of them, which ensures that the kept part of the body is JSON. */
function parseOthers(body: Buffer, others: BatchParts["others"]): ReadonlyMap<string, unknown> {
  return new Map(
    [...others].map(([name, part]) => {
      if (part.excess !== null) throw unreadable(`The body, apart from its events, ${part.excess}`);
      return [name, parsePart(body, part)];
    }),
  );
}

function rejectSyntax(error: unknown): never {
  // The parser's message quotes the body near the fault, so it goes to the sender only.
  if (error instanceof SyntaxError) throw unreadable(`The body is not JSON: ${error.message}`);
  throw error;
}
