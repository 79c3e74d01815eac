/** The event store numbers the types in this order, so add new types at the end. */
export const EVENT_TYPES = ["exposure", "model_call", "business_event", "tool_call", "run_end"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The maximum number of characters of a name of a variant, model or metric. */
export const MAX_NAME = 200;

interface FieldBasics {
  /** Its column, and its name in answers. */
  readonly name: string;
  /** Its name in sent rows, if different; null: the service fills it in. */
  readonly sentAs?: string | null;
  /** One sentence, for the API document and the list in docs/import.md. */
  readonly description: string;
}

/** Every event has it, but rows never send it. */
export interface OrgField extends FieldBasics {
  readonly kind: "org";
  readonly sentAs: null;
}

/** Every event has it. The kind determines how it is checked. */
interface KeyField extends FieldBasics {
  readonly kind: "experiment" | "type" | "instant";
}

/** Every event has it. */
interface IdField extends FieldBasics {
  readonly kind: "id";
  /** Maximum number of characters. */
  readonly max: number;
}

/** A field that an event may lack. */
interface ValueField extends FieldBasics {
  /** The types of event that have it; absent: all types. */
  readonly of?: EventType | readonly EventType[];
  /** The type whose rows must have it. */
  readonly requiredOf?: EventType;
  /** Whether the analysis log keeps it too. Retention removes events from the raw log. */
  readonly isAnalyzed?: true;
}

/** A short text with few distinct values. */
interface NameField extends ValueField {
  readonly kind: "name";
  /** Whether a bad value is refused in rows of other types too. */
  readonly isAlwaysChecked?: true;
}

/** The id of something that many events may name. */
interface ReferenceField extends ValueField {
  readonly kind: "reference";
  /** Maximum number of characters. */
  readonly max: number;
}

interface NumberField extends ValueField {
  readonly kind: "number";
  readonly min?: number;
  /** Exclusive lower bound. */
  readonly above?: number;
  readonly max?: number;
  /** The value stored if the field is absent; null by default. */
  readonly default?: number;
  /** Null is not a number, and differs from absent: a row with an explicit null is refused. */
  readonly refusesNull?: true;
}

interface BooleanField extends ValueField {
  readonly kind: "boolean";
  readonly default?: boolean;
}

/** A long text, or an object stored as JSON. Lists of events leave such fields out or shorten them. */
interface LongField extends ValueField {
  readonly kind: "text" | "object";
  /** Maximum number of bytes of UTF-8. */
  readonly max: number;
}

export type AnyValueField = NameField | ReferenceField | NumberField | BooleanField | LongField;
export type EventField = OrgField | KeyField | IdField | AnyValueField;
export type FieldKind = EventField["kind"];
