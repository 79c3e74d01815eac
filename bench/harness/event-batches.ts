/** The marks of a serial number, and of an instant in a UUIDv7: milliseconds since the epoch in hexadecimal digits. */
const SERIAL = "############";
const INSTANT = "@@@@@@@@-@@@@";

/** Makes request bodies with one batch size. No event id is repeated. */
export interface EventBatches {
  readonly size: number;
  readonly bytesPerEvent: number;
  next(): Buffer;
}

/**
 * Makes batches of `size` events of about 400 bytes. A body is a copy of a template with a serial number
 * written over its marks: building 500 events per request would cost the generator more than reading them
 * costs the service.
 */
export function eventBatches(experiment: string, size: number): EventBatches {
  const sentAt = new Date().toISOString();
  const events = Array.from({ length: size }, (_, index) => eventRow({ experiment, sentAt, index }));
  const template = Buffer.from(JSON.stringify({ events }));
  const text = template.toString("latin1");
  const [serials, instants] = [SERIAL, INSTANT].map((mark) =>
    [...text.matchAll(new RegExp(mark, "g"))].map(({ index }) => index),
  );
  let serial = 0;
  return {
    size,
    bytesPerEvent: template.length / size,
    next() {
      const body = Buffer.from(template);
      const digits = String(serial++).padStart(SERIAL.length, "0");
      const now = Date.now().toString(16).padStart(12, "0");
      const instant = `${now.slice(0, 8)}-${now.slice(8)}`;
      for (const mark of serials!) body.write(digits, mark, "latin1");
      for (const mark of instants!) body.write(instant, mark, "latin1");
      return body;
    },
  };
}

interface RowInputs {
  readonly experiment: string;
  readonly sentAt: string;
  readonly index: number;
}

/** Each user has four events: an exposure, two model calls and an outcome. Their ids contain the current time, like a client library's. */
function eventRow({ experiment, sentAt, index }: RowInputs): object {
  const common = {
    event_id: `${INSTANT}-7${String(index % 1000).padStart(3, "0")}-8a5c-${SERIAL}`,
    experiment_id: experiment,
    user_id: `user-${SERIAL}-${Math.floor(index / 4)}`,
    timestamp: sentAt,
    metadata: { release: "2026.11.3", region: "eu-central-1", surface: "assistant-panel", locale: "en-GB" },
  };
  if (index % 4 === 2) return { type: "exposure", ...common };
  if (index % 4 === 3)
    return { type: "business_event", ...common, business_metric: "answer_accepted", value: 1 };
  return { type: "model_call", ...common, ...MODEL_CALL };
}

const MODEL_CALL = {
  model: "gpt-4.1-mini-2025-04-14",
  provider: "openai",
  latency_ms: 812.4,
  time_to_first_token_ms: 203.1,
  input_tokens: 1204,
  output_tokens: 388,
  cost_usd: 0.00184,
  error: false,
};
