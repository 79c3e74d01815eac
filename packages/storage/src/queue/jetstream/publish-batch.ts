import { type BatchHeader, DomainError } from "@assay/domain";
import { JetStreamApiError, type JetStreamClient } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { toAsciiJson } from "./ascii-json.ts";
import { BATCH_HEADER } from "./held-batches.ts";
import type { NatsLine } from "./nats-line.ts";

const ATTEMPT_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;
/** The stream could not store the message: a limit was reached, or the text gives another reason. */
const STORE_FAILED = 10_077;

/** A batch on its way to a stream. */
export interface Publication {
  readonly subject: string;
  /** The same for each attempt, so that the server stores the batch once. */
  readonly id: string;
  readonly header: BatchHeader;
  readonly body: Uint8Array;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Resolves once the stream has stored the batch. Retries under the same id if necessary. */
export async function publishBatch(
  { subject, id, header, body, extra = {} }: Publication,
  js: JetStreamClient,
  line: NatsLine,
): Promise<void> {
  const head = headers();
  const { orgId, receivedAt, rejected, experiments, configVersion, provenance, traceparent } = header;
  head.set(
    BATCH_HEADER,
    toAsciiJson({ orgId, receivedAt, rejected, experiments, configVersion, provenance, traceparent }),
  );
  for (const [name, value] of Object.entries(extra)) head.set(name, toAsciiJson(value));
  await line.persist(async () => {
    try {
      await js.publish(subject, body, { msgID: id, headers: head, timeout: ATTEMPT_MS });
    } catch (error) {
      throw isFull(error) ? queueFull() : error;
    }
  });
}

const isFull = (error: unknown) =>
  error instanceof JetStreamApiError &&
  error.code === STORE_FAILED &&
  /maximum (messages|bytes) exceeded/.test(error.message);

/** Creates the error of a full queue. */
export const queueFull = (): DomainError =>
  new DomainError("queue-full", "The queue of received events is full.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
