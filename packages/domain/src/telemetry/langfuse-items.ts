import { MAX_NAME } from "../event/fields.ts";
import { parseTimestamp } from "../event/timestamp.ts";
import { isRecord, type Json, type JsonObject } from "../json.ts";
import { factsOfTrace, TRACE_METADATA, type TraceFact } from "./facts.ts";
import { cutText, messagesText } from "./message-text.ts";
import { shortValues } from "./short-values.ts";

/** What is wrong with an item, as a sentence for its sender. */
export class ItemFault extends Error {}

/** What is known about items in addition to their content. */
export interface ItemSource {
  /** Name and version of the SDK. */
  readonly scope: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** SHA-256 in hex digits. */
  readonly digestOf: (text: string) => string;
}

/** What an item adds to a trace. */
export interface ReadItem {
  readonly traceId: string;
  readonly facts: readonly TraceFact[];
}

type Fields = Readonly<Record<string, unknown>>;

const CALLS = ["generation", "embedding"];
/** Types of observations. All types except calls are steps around calls. */
const KINDS = [
  ...CALLS,
  ...["span", "event", "agent", "tool", "chain", "retriever", "evaluator", "guardrail"],
];
const OBSERVATION = /^([a-z]+)-(create|update)$/;
const MAX_ID = 800;

/** Reads an item of a batch of Langfuse's ingestion API; null if there is nothing to keep. Throws `ItemFault`. */
export function readLangfuseItem(item: unknown, source: ItemSource): ReadItem | null {
  if (!isRecord(item)) throw new ItemFault("An item must be an object.");
  const at = instantIn(item, "timestamp") ?? source.receivedAt;
  const { type, body } = item;
  if (type === "sdk-log") return null;
  const [, kind = "", verb] = OBSERVATION.exec(String(type)) ?? [];
  if (type !== "trace-create" && type !== "score-create" && kind !== "observation" && !KINDS.includes(kind))
    throw new ItemFault(
      'The type must be "trace-create", "score-create", "sdk-log", or the type of an observation, such as "generation-create".',
    );
  if (!isRecord(body)) throw new ItemFault("The body must be an object.");
  if (type === "score-create") return readLangfuseScore(body, { ...source, receivedAt: at });
  if (type === "trace-create") return readTrace(body, at, source);
  return readObservation(body, { kind: kindOf(kind, body), isUpdate: verb === "update", at }, source);
}

/** Reads a score; null if its value is a text, which no metric reads. Throws `ItemFault`. */
export function readLangfuseScore(score: unknown, { receivedAt, digestOf }: ItemSource): ReadItem | null {
  if (!isRecord(score)) throw new ItemFault("A score must be an object.");
  const { name, observationId, comment, metadata } = score;
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME)
    throw new ItemFault(`The name of a score must be a string of 1 to ${MAX_NAME} characters.`);
  const traceId = idIn(score, "traceId");
  if (traceId === null)
    throw new ItemFault("A score needs a traceId: it counts for the variant that its trace names.");
  const value = scoreValue(score);
  const id = idIn(score, "id");
  if (value === null) return null;
  const fact: TraceFact = {
    kind: "score",
    spanId: typeof observationId === "string" ? hexId(observationId, 16, digestOf) : null,
    ...{ responseId: null, userId: null, name, value },
    at: instantIn(score, "timestamp") ?? receivedAt,
    metadata: {
      ...(typeof comment === "string" ? { explanation: comment.slice(0, 2_000) } : {}),
      ...(isRecord(metadata) ? { metadata: shortValues(entriesOf(metadata)) } : {}),
    },
    ...(id === null ? {} : { id }),
  };
  return { traceId: hexId(traceId, 32, digestOf), facts: [fact] };
}

function scoreValue({ value, dataType }: Fields): number | null {
  const type = dataType ?? (typeof value === "string" ? "CATEGORICAL" : "NUMERIC");
  if (["CATEGORICAL", "TEXT", "CORRECTION"].includes(String(type))) {
    if (typeof value === "string") return null;
    throw new ItemFault(`The value of a score of the type ${type} must be a string.`);
  }
  const number = typeof value === "boolean" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    throw new ItemFault("The value of a score must fit its dataType: a number, true, false or a string.");
  if (type === "BOOLEAN" && number !== 0 && number !== 1)
    throw new ItemFault("The value of a score of the type BOOLEAN must be 0 or 1.");
  if (type !== "BOOLEAN" && type !== "NUMERIC")
    throw new ItemFault("The dataType must be NUMERIC, BOOLEAN, CATEGORICAL, TEXT or CORRECTION.");
  return number;
}

function readTrace(body: Fields, at: number, { digestOf }: ItemSource): ReadItem {
  const id = requiredId(body, "id");
  const attributes: [string, unknown][] = [
    ["user.id", body.userId],
    ["session.id", body.sessionId],
    ...metadataOf(body, TRACE_METADATA),
  ];
  return {
    traceId: hexId(id, 32, digestOf),
    facts: factsOfTrace(new Map(present(attributes)), instantIn(body, "timestamp") ?? at),
  };
}

function kindOf(kind: string, { type }: Fields): string {
  if (kind !== "observation") return kind;
  const own = String(type).toLowerCase();
  if (!KINDS.includes(own))
    throw new ItemFault('The type of an observation must be one that Langfuse has, such as "GENERATION".');
  return own;
}

interface Sent {
  readonly kind: string;
  readonly isUpdate: boolean;
  readonly at: number;
}

const FLAG_USER = "langfuse.observation.metadata.feature_flag.context.id";

function readObservation(body: Fields, sent: Sent, { scope, digestOf }: ItemSource): ReadItem {
  const id = requiredId(body, "id");
  const traceId = requiredId(body, "traceId");
  const parentId = idIn(body, "parentObservationId");
  const spanId = hexId(id, 16, digestOf);
  const own = hexId(traceId, 32, digestOf);
  const attributes = Object.fromEntries([
    ...attributesOf(body, sent.kind),
    // Kept so that people can search for the application's own ids.
    ...(own === traceId ? [] : [["langfuse.trace.id", traceId] as const]),
    ...(spanId === id ? [] : [["langfuse.observation.id", id] as const]),
  ]);
  const user = attributes[FLAG_USER];
  const piece: TraceFact = {
    ...{ kind: "piece", spanId, scope, at: sent.at, isUpdate: sent.isUpdate, attributes },
    userId: user === undefined ? null : String(user),
    startedAt: instantIn(body, "startTime"),
    endedAt: instantIn(body, "endTime"),
    parentId: parentId === null ? null : hexId(parentId, 16, digestOf),
  };
  const isCall = CALLS.includes(sent.kind);
  return { traceId: own, facts: isCall ? [piece, { kind: "begun", spanId, scope }] : [piece] };
}

/** Converts an observation to the attributes of Langfuse's own spans. */
function attributesOf(body: Fields, kind: string): readonly [string, Json][] {
  const { modelParameters, costDetails, usage } = body;
  const prefix = "langfuse.observation";
  instantIn(body, "completionStartTime");
  return present([
    [`${prefix}.type`, kind],
    [`${prefix}.level`, body.level],
    [`${prefix}.status_message`, short(body.statusMessage)],
    [`${prefix}.model.name`, short(body.model)],
    [`${prefix}.model.parameters`, shortFields(modelParameters)],
    [`${prefix}.usage_details`, usageOf(body)],
    [`${prefix}.cost_details`, shortFields(costDetails) ?? shortFields(costOf(usage))],
    [`${prefix}.input`, messagesOf(body.input)],
    [`${prefix}.output`, messagesOf(body.output)],
    [`${prefix}.completion_start_time`, body.completionStartTime],
    [`${prefix}.prompt.name`, short(body.promptName)],
    [`${prefix}.prompt.version`, short(body.promptVersion)],
    ["langfuse.environment", short(body.environment)],
    ["langfuse.version", short(body.version)],
    ...metadataOf(body, `${prefix}.metadata.`),
  ]);
}

/** Converts an item's usage to the form in Langfuse's spans; undefined if the unit is not tokens. */
function usageOf({ usage, usageDetails }: Fields): Json | undefined {
  const details = shortFields(usageDetails);
  if (details !== undefined || !isRecord(usage)) return details;
  const { unit, input, output, total, promptTokens, completionTokens, totalTokens } = usage;
  if (typeof unit === "string" && unit !== "TOKENS") return undefined;
  return shortFields({
    ...usage,
    input: input ?? promptTokens,
    output: output ?? completionTokens,
    total: total ?? totalTokens,
  });
}

function costOf(usage: unknown): unknown {
  if (!isRecord(usage)) return undefined;
  const { inputCost, outputCost, totalCost } = usage;
  return { input: inputCost, output: outputCost, total: totalCost };
}

/** Extracts the text of a value now, so that it is not read as messages a second time. */
function messagesOf(value: unknown): Json | undefined {
  const text = cutText(messagesText((value ?? "") as Json));
  return text === "" ? undefined : { content: text };
}

const metadataOf = ({ metadata }: Fields, prefix: string): readonly [string, unknown][] =>
  isRecord(metadata)
    ? Object.entries(shortValues(entriesOf(metadata))).map(([name, value]) => [prefix + name, value])
    : [];

function shortFields(value: unknown): JsonObject | undefined {
  const fields = isRecord(value) ? shortValues(entriesOf(value)) : {};
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function short(value: unknown): unknown {
  return typeof value === "string" ? value.slice(0, MAX_NAME) : value;
}

const entriesOf = (fields: Fields): readonly [string, Json][] => present(Object.entries(fields));

const present = (entries: readonly (readonly [string, unknown])[]): [string, Json][] =>
  entries.flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, value as Json] as [string, Json]],
  );

/** Throws `ItemFault` if the field is present but not an instant. */
function instantIn(fields: Fields, name: string): number | null {
  const value = fields[name] ?? null;
  const at = typeof value === "string" ? parseTimestamp(value) : null;
  if (value !== null && at === null)
    throw new ItemFault(`${name} must be a timestamp such as "2026-01-31T12:00:00.000Z".`);
  return at;
}

function requiredId(fields: Fields, name: string): string {
  const id = idIn(fields, name);
  if (id === null) throw new ItemFault(`${name} is missing: it must be a string.`);
  return id;
}

function idIn(fields: Fields, name: string): string | null {
  const value = fields[name] ?? null;
  if (value !== null && (typeof value !== "string" || value === "" || value.length > MAX_ID))
    throw new ItemFault(`${name} must be a string of 1 to ${MAX_ID} characters.`);
  return value as string | null;
}

const HEX = /^(?!0+$)[0-9a-f]+$/;

/** Keeps OpenTelemetry ids. Other ids become the first digits of their SHA-256, as in Langfuse's SDKs. */
function hexId(id: string, digits: number, digestOf: ItemSource["digestOf"]): string {
  return id.length === digits && HEX.test(id) ? id : digestOf(id).slice(0, digits);
}
