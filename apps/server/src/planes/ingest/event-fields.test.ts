import { EventSchema } from "@assay/contract";
import {
  EVENT_FIELD_LIST,
  EVENT_TYPES,
  type EventType,
  isValueField,
  SENT_FIELDS,
  toInstant,
  typesOf,
} from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { experimentBody, type WireExperiment } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

type Row = Readonly<Record<string, unknown>>;
type Field = (typeof SENT_FIELDS)[number];

const AT = Date.now() - 60_000;
let api: TestService;
let key: string;
let experiment: WireExperiment;

beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
  const body = experimentBody("fields");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());

/** A value of the field's kind that no other field has. */
function sampleOf(field: Field, { id, type }: { readonly id: string; readonly type: EventType }): unknown {
  // No other names of variants are accepted.
  if (field.name === "variant") return "treatment";
  switch (field.kind) {
    case "experiment":
      return experiment.id;
    case "type":
      return type;
    case "instant":
      return toInstant(AT);
    case "id":
      return field.name === "event_id" ? id : `the ${field.name}`;
    case "number":
      if (field.max !== undefined) return field.max / 8;
      return (field.min ?? 0) + SENT_FIELDS.indexOf(field) + 0.25;
    case "boolean":
      return !field.default;
    case "object":
      return { of: [field.name, null] };
    default:
      return `the ${field.name}, 語 "quoted"\n`;
  }
}

/** A row of a type with every field that the table gives it. */
function rowOf(type: EventType, id: string): Row {
  const fields = SENT_FIELDS.filter((field) => typesOf(field).includes(type));
  return Object.fromEntries(fields.map((field) => [field.sentName, sampleOf(field, { id, type })]));
}

function toCsv(rows: readonly Row[]): string {
  const names = SENT_FIELDS.map(({ sentName }) => sentName);
  const cell = (value: unknown = "") =>
    `"${(typeof value === "string" ? value : JSON.stringify(value)).replaceAll('"', '""')}"`;
  return [names, ...rows.map((row) => names.map((name) => cell(row[name])))].join("\n");
}

const imported = (type: string, write: (rows: readonly Row[]) => string) => (rows: readonly Row[]) =>
  api.call("POST", "/v1/events/import", { key, headers: { "content-type": type }, body: write(rows) });

const WAYS_IN: Readonly<Record<string, (rows: readonly Row[]) => Promise<{ readonly status: number }>>> = {
  "/v1/events": (body) => api.call("POST", "/v1/events", { key, body }),
  "an import of CSV": imported("text/csv", toCsv),
  "an import of JSON": imported("application/json", (rows) => JSON.stringify(rows)),
  "an import of NDJSON": imported("application/x-ndjson", (rows) =>
    rows.map((row) => JSON.stringify(row)).join("\n"),
  ),
};

const SENDER = {
  received_at: expect.any(String),
  key_prefix: expect.stringMatching(/^svc_sk_/),
  client: null,
};
/** What the service fills in, by the way in. */
const FILLED_IN: Readonly<Record<string, Row>> = Object.fromEntries(
  Object.keys(WAYS_IN).map((way) => [
    way,
    { ...SENDER, source: way.includes("import") ? "import" : "secret", ineligible_reason: null },
  ]),
);

describe.each(Object.keys(WAYS_IN))("every field of the table, sent by %s", (way) => {
  test("comes back from the raw events", async () => {
    const rows = EVENT_TYPES.map((type) => rowOf(type, `${type} by ${way}`));
    expect((await WAYS_IN[way]?.(rows))?.status).toBeLessThan(300);
    for (const row of rows) {
      const stored = await vi.waitFor(() => find(String(row.event_id)), 20_000);
      expect(stored).toMatchObject(FILLED_IN[way] ?? {});
      for (const field of EVENT_FIELD_LIST) {
        if (field.kind === "org" || field.kind === "experiment") continue;
        if (field.sentName === null) continue;
        expect([field.name, stored[field.name]]).toEqual([field.name, row[field.sentName] ?? null]);
      }
    }
  });
});

async function find(id: string): Promise<Row> {
  const path = `/v1/experiments/${experiment.id}/events/${encodeURIComponent(id)}`;
  const { status, body } = await api.call<Row>("GET", path);
  expect(status).toBe(200);
  return body;
}

test.each(SENT_FIELDS.filter(isValueField))(
  "$sentName is checked, whatever else the row has",
  async (field) => {
    const [type] = typesOf(field) as [EventType];
    const row = { ...rowOf(type, `bad ${field.name}`), [field.sentName]: ["neither text nor number"] };
    const ack = await api.call<{ rejected: readonly { detail: string }[] }>("POST", "/v1/events", {
      key,
      body: [row],
    });
    expect(ack.body.rejected[0]?.detail).toMatch(new RegExp(`^${field.sentName} must be `));
  },
);

test("every field that is sent is in the API document with its description", () => {
  for (const { sentName, description } of SENT_FIELDS)
    expect(JSON.stringify((EventSchema.properties as Row)[sentName]), sentName).toContain(
      JSON.stringify(description).slice(1, -1),
    );
});
