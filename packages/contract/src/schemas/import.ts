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
        description: "true: check the rows without storing them. Every row is assumed to be new.",
      }),
    ),
  },
  strict,
);

const EventList = Type.Array(EventSchema);
export const ImportBody = Type.Union([Type.Object({ events: EventList }), EventList], { $id: "ImportBody" });

export const ImportError = Type.Object(
  {
    line: Type.Integer({ description: "Line of the payload on which the row starts, counted from 1." }),
    event_id: Type.Optional(Type.String()),
    detail: Type.String(),
  },
  { $id: "ImportError" },
);

export const ImportResult = Type.Object(
  {
    events: Type.Integer({
      description: "Rows accepted and on disk. In a dry run: rows that would be accepted.",
    }),
    errors: Type.Array(ImportError, {
      maxItems: 1_000,
      description: "The first 1,000 rejected rows, by line.",
    }),
    error_count: Type.Integer({ description: "Number of all rejected rows." }),
    rows: Type.Integer({ description: "events + error_count." }),
    dry_run: Type.Boolean(),
    unknown_columns: Type.Optional(
      Type.Array(Type.String(), {
        description: "Columns of the CSV header that are not event fields and were ignored.",
      }),
    ),
  },
  { $id: "ImportResult" },
);
