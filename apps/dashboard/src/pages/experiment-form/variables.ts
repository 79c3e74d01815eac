type Json = Readonly<Record<string, unknown>>;

export interface VariableRow {
  id: string;
  key: string;
  /** The text as typed: numbers, booleans, null, JSON and quoted text are parsed; everything else is text. */
  value: string;
}

/** A variant's variables in the form: a table or JSON. */
export interface VariablesValues {
  isJson: boolean;
  rows: VariableRow[];
  json: string;
}

/** Converts stored variables to a table. */
export function fromVariables(variables: Json | null): VariablesValues {
  const rows = Object.entries(variables ?? {}).map(([key, value]) => newRow(key, toText(value)));
  return { isJson: false, rows, json: "" };
}

/** Creates a row of the table. */
export function newRow(key = "", value = ""): VariableRow {
  return { id: crypto.randomUUID(), key, value };
}

/** Returns the variables to send; null when there are none. Invalid ones are left out; `variablesFault` reports them. */
export function toVariables(values: VariablesValues): Json | null {
  const variables = values.isJson ? parseObject(values.json) : fromRows(values.rows);
  return variables === null || Object.keys(variables).length === 0 ? null : variables;
}

/** Returns the error of the variables, or null. */
export function variablesFault({ isJson, rows, json }: VariablesValues): string | null {
  if (isJson) {
    return json.trim() === "" || parseObject(json) !== null
      ? null
      : 'Enter one JSON object, such as {"model": "gpt-5-mini", "temperature": 0.2}. Quote numbers of more than 15 digits.';
  }
  const keys = rows.map(({ key }) => key.trim());
  const twice = keys.find((key, index) => key !== "" && keys.indexOf(key) !== index);
  if (twice !== undefined) return `"${twice}" is listed twice.`;
  if (keys.includes("__proto__")) return '"__proto__" cannot be the name of a variable.';
  return rows.some(({ key, value }) => key.trim() === "" && value.trim() !== "")
    ? "A value has no name. Enter one or remove the row."
    : null;
}

/** Switches between table and JSON without losing a value. Invalid JSON stays JSON. */
export function toggleJson(values: VariablesValues): VariablesValues {
  if (!values.isJson) {
    return { ...values, isJson: true, json: JSON.stringify(fromRows(values.rows), null, 2) };
  }
  return variablesFault(values) === null ? fromVariables(toVariables(values)) : values;
}

/** Returns a text variable by name; null when it is not set. */
export function textVariable(values: VariablesValues, key: string): string | null {
  const value = toVariables(values)?.[key];
  return typeof value === "string" && value !== "" ? value : null;
}

function fromRows(rows: readonly VariableRow[]): Json {
  return Object.fromEntries(
    rows.flatMap(({ key, value }) => (key.trim() === "" ? [] : [[key.trim(), fromText(value)]])),
  );
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text, keepExact);
  } catch {
    return text;
  }
}

/** Refuses what would not arrive as typed: digits that a number cannot hold, and names that the service refuses. */
function keepExact(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const digits = /^-?\d+$/.exec(context?.source ?? "")?.[0];
  const isExact =
    typeof value !== "number" ||
    (Number.isFinite(value) && (digits === undefined || BigInt(digits) === BigInt(value)));
  if (!isExact || key === "__proto__") throw new RangeError(key);
  return value;
}

/** Quotes a text that would be parsed as something else. */
function toText(value: unknown): string {
  return typeof value === "string" && fromText(value) === value ? value : JSON.stringify(value);
}

function parseObject(text: string): Json | null {
  const value = fromText(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
}
