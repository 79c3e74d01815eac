import { Type } from "typebox";
import { EventSchema } from "./ingest.ts";
import { strict } from "./shared.ts";

/** Media types of an import, by format. */
export const IMPORT_MEDIA_TYPES = {
  csv: "text/csv",
  json: "application/json",
  ndjson: "application/x-ndjson",
} as const;

export type ImportFormat = keyof typeof IMPORT_MEDIA_TYPES;

export const ImportQuery = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Union([Type.Literal("true"), Type.Literal("false")], {
        description: "true: check the rows and store none of them; each is taken for a new one.",
      }),
    ),
  },
  strict,
);

const EventList = Type.Array(EventSchema);
export const ImportBody = Type.Union([Type.Object({ events: EventList }), EventList], { $id: "ImportBody" });

export const ImportError = Type.Object(
  {
    line: Type.Integer({ description: "Line of the submitted payload on which the row starts, from 1." }),
    event_id: Type.Optional(Type.String()),
    detail: Type.String(),
  },
  { $id: "ImportError" },
);

export const ImportResult = Type.Object(
  {
    events: Type.Integer({ description: "Rows that are accepted and on disk; in a dry run, that would be." }),
    errors: Type.Array(ImportError, {
      maxItems: 1_000,
      description: "Rows that are not accepted, by ascending line: the first 1,000.",
    }),
    error_count: Type.Integer({ description: "All rows that are not accepted." }),
    rows: Type.Integer({ description: "events + error_count." }),
    dry_run: Type.Boolean(),
    unknown_columns: Type.Optional(
      Type.Array(Type.String(), {
        description: "Columns of a CSV header that are no field of an event: they were passed over.",
      }),
    ),
  },
  { $id: "ImportResult" },
);
