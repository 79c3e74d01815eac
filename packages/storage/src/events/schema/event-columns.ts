import { EVENT_FIELD_LIST, EVENT_TYPES, type EventField, type FieldKind, isValueField } from "@assay/domain";

/** The column type of an instant. */
export const INSTANT = "DateTime64(3, 'UTC') CODEC(Delta, LZ4)";

/** The column type of a field's kind. '' means no name or no text, because a Nullable column costs a second file. */
export const TYPES: Readonly<Record<FieldKind, string>> = {
  org: "String",
  experiment: "String",
  id: "String",
  type: `Enum8(${EVENT_TYPES.map((type, i) => `'${type}' = ${i + 1}`).join(", ")})`,
  instant: INSTANT,
  name: "LowCardinality(String)",
  reference: "String",
  number: "Nullable(Float64)",
  boolean: "Nullable(UInt8)",
  text: "String CODEC(ZSTD(3))",
  object: "String CODEC(ZSTD(3))",
};

/** Column types of a log by column name. */
export type Columns = Readonly<Record<string, string>>;

/** Columns of the raw log in the order of inserted rows. */
export const RAW_COLUMNS = columnsOf(EVENT_FIELD_LIST);

/** Columns of the analysis log, which outlives the raw one. */
export const ANALYSIS_COLUMNS = columnsOf(
  EVENT_FIELD_LIST.filter((field) => !isValueField(field) || field.isAnalyzed === true),
);

function columnsOf(fields: readonly EventField[]): Columns {
  return Object.fromEntries(fields.map(({ name, kind }) => [name, TYPES[kind]]));
}

/** Writes the columns for a table definition. */
export function defined(columns: Columns): string {
  return Object.entries(columns)
    .map((column) => column.join(" "))
    .join(", ");
}

/** Writes a statement that adds missing columns to a table. */
export function addColumnsSql(table: string, columns: Columns): string {
  const additions = Object.entries(columns).map((column) => `ADD COLUMN IF NOT EXISTS ${column.join(" ")}`);
  return `ALTER TABLE ${table} ${additions.join(", ")}`;
}

/** Writes the query that fills the analysis log from the raw log. */
export function analysisViewSql(rawEvents: string): string {
  return `SELECT ${Object.keys(ANALYSIS_COLUMNS).join(", ")} FROM ${rawEvents}`;
}
