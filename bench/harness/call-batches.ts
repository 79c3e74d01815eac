import { toProtobuf, tracesOf } from "../../apps/server/src/test-support/otlp-bodies.ts";

const SERIAL_DIGITS = 12;
const SERIAL = "#".repeat(SERIAL_DIGITS);
/** Stands for the serial number in a trace's id. */
const TRACE_MARK = "5a".repeat(SERIAL_DIGITS);
const PROMPT = "How many users does an experiment need before its result can be trusted? ".repeat(16);
const RESPONSE = "Plan it before the start: the smaller the difference, the more users. ".repeat(8);
const TOKENS = { input_tokens: 1204, output_tokens: 388 };
const MODEL = { provider: "openai", model: "gpt-4.1-mini-2025-04-14" };

/** The same exposures and model calls in two forms. */
export interface CallBatches {
  /** For `/v1/events`. */
  events(): Buffer;
  /** For `/v1/otlp/v1/traces`: a trace for each call, with the request's span around it. */
  traces(): Buffer;
}

/** Makes bodies with `calls` calls and as many exposures. As in `eventBatches`, a serial number is written into a template. */
export function callBatches(experiment: string, calls: number): CallBatches {
  const indexes = Array.from({ length: calls }, (_, index) => index);
  const events = indexes.flatMap((index) => eventsOf(experiment, index));
  const spans = indexes.flatMap((index) => spansOf(experiment, index));
  return {
    events: numbered(Buffer.from(JSON.stringify({ events }))),
    traces: numbered(toProtobuf("Traces", tracesOf(spans))),
  };
}

const userOf = (index: number) => `user-${SERIAL}-${index}`;

function eventsOf(experiment: string, index: number): readonly object[] {
  const common = { experiment_id: experiment, user_id: userOf(index), timestamp: new Date().toISOString() };
  const call = { ...MODEL, ...TOKENS, latency_ms: 812.4, error: false, prompt: PROMPT, response: RESPONSE };
  return [
    { type: "exposure", event_id: `exposure-${SERIAL}-${index}`, ...common },
    { type: "model_call", event_id: `call-${SERIAL}-${index}`, ...common, ...call },
  ];
}

function spansOf(experiment: string, index: number): Parameters<typeof tracesOf>[0] {
  const traceId = `${TRACE_MARK}${index.toString(16).padStart(8, "0")}`;
  const [outer, inner, at] = ["11".repeat(8), "22".repeat(8), Date.now()];
  const evaluation = {
    "feature_flag.key": experiment,
    "feature_flag.result.variant": "base",
    "feature_flag.context.id": userOf(index),
  };
  const message = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
  const call = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": MODEL.provider,
    "gen_ai.response.model": MODEL.model,
    "gen_ai.usage.input_tokens": TOKENS.input_tokens,
    "gen_ai.usage.output_tokens": TOKENS.output_tokens,
    "gen_ai.input.messages": message("user", PROMPT),
    "gen_ai.output.messages": message("assistant", RESPONSE),
  };
  const events = [{ name: "feature_flag.evaluation", at, attributes: evaluation }];
  return [
    { traceId, spanId: outer, at, attributes: { "user.id": userOf(index) }, events },
    { traceId, spanId: inner, parentSpanId: outer, at, attributes: call },
  ];
}

/** Returns a function that copies a template, with a new number in place of the marks each time. */
function numbered(template: Buffer): () => Buffer {
  const places = [SERIAL, Buffer.from(TRACE_MARK, "hex")].flatMap((mark) => placesOf(template, mark));
  let serial = 0;
  return () => {
    const body = Buffer.from(template);
    const digits = Buffer.from(String(serial++).padStart(SERIAL_DIGITS, "0"));
    for (const place of places) digits.copy(body, place);
    return body;
  };
}

function placesOf(template: Buffer, mark: string | Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = template.indexOf(mark); at >= 0; at = template.indexOf(mark, at + mark.length))
    places.push(at);
  return places;
}
