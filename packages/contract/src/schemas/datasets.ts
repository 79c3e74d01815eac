import { MASKING_KINDS, MAX_DATASET_ITEMS, MAX_OWN_MASKING_RULES, UPLOAD_FORMATS } from "@assay/domain";
import { Type } from "typebox";
import { FIELD_NAME, Id, Instant, InstantOf, Line, NextCursor, Nullable, OneOf, strict } from "./shared.ts";

const DatasetName = Line(100);

export const DrawRequest = Type.Object(
  {
    name: DatasetName,
    from_experiment: Type.Object(
      {
        experiment_id: Type.String({ minLength: 1, maxLength: 200, description: "Id or name." }),
        from: InstantOf("Start of the period of the calls. At most 31 days before `until`."),
        until: InstantOf("End of the period, exclusive."),
        items: Type.Integer({
          minimum: 1,
          maximum: MAX_DATASET_ITEMS,
          description: "How many calls to draw; all of them if there are fewer.",
        }),
      },
      strict,
    ),
  },
  { ...strict, $id: "DrawRequest" },
);

/** Media types of an upload. The format decides how the file is read, whatever its media type. */
export const UPLOAD_MEDIA_TYPES = [
  "application/x-ndjson",
  "text/csv",
  "application/yaml",
  "application/json",
  "application/octet-stream",
] as const;

export const UploadQuery = Type.Object(
  {
    name: DatasetName,
    format: Type.Optional(
      OneOf(UPLOAD_FORMATS, { description: "The file's format. Default: detected from its content." }),
    ),
  },
  strict,
);

export const UploadBody = Type.Unknown({
  $id: "DatasetFile",
  description: "The file, at most 64 MiB, optionally gzipped. Formats other than JSON are sent as they are.",
});

export const DatasetSchema = Type.Object(
  {
    id: Id,
    name: Type.String(),
    version: Type.Integer({
      description: "From 1. The next dataset with the same name is the next version.",
    }),
    source: Type.Union([
      Type.Object({
        kind: Type.Literal("calls"),
        experiment_id: Id,
        from: Instant,
        until: Instant,
        calls: Type.Integer({ description: "Number of calls from which the inputs were drawn." }),
        left_out: Type.Integer({
          description:
            "Number of drawn calls without a usable input: the prompt cannot be read, has no user message, or is too long.",
        }),
      }),
      Type.Object({ kind: Type.Literal("upload"), format: OneOf(UPLOAD_FORMATS) }),
    ]),
    items: Type.Integer({ description: "Number of inputs. Erasing a person removes that person's inputs." }),
    masked: Type.Record(Type.String(), Type.Integer(), {
      description: "How many passages were masked, by rule. Rules that found nothing are absent.",
    }),
    created_at: Instant,
    created_by: Type.String({ description: "Id of the member or service token." }),
    expires_at: Nullable(
      InstantOf(
        "When the dataset is removed, because the calls from which it was drawn expire. Null: never.",
      ),
    ),
  },
  { $id: "Dataset" },
);

export const DatasetList = Type.Object(
  { items: Type.Array(DatasetSchema, { description: "Newest first." }), next_cursor: NextCursor },
  { $id: "DatasetList" },
);

export const DatasetItems = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        position: Type.Integer({
          description: "Position in the dataset, from 0. Erasing a person leaves gaps.",
        }),
        id: Type.String({ description: "The call's `event_id`, or the id of the uploaded row." }),
        messages: Type.Array(
          Type.Object({ role: OneOf(["user", "assistant"] as const), text: Type.String() }),
          {
            description:
              "The conversation, without system messages. It ends with the user's message to answer.",
          },
        ),
        reference: Nullable(Type.String({ description: "An answer to compare with." })),
        user_id: Nullable(Type.String()),
        occurred_at: Nullable(Instant),
        probability: Type.Number({
          description: "Probability that the input was drawn. The input represents 1 / probability calls.",
        }),
      }),
    ),
    next_cursor: NextCursor,
  },
  { $id: "DatasetItems" },
);

export const MaskingRulesSchema = Type.Object(
  {
    built_in: Type.Array(OneOf(MASKING_KINDS), {
      uniqueItems: true,
      maxItems: MASKING_KINDS.length,
      description:
        "Kinds of text that are masked, as `[email]`, `[phone]` and so on. All kinds, unless an admin changes the rules.",
    }),
    own: Type.Array(
      Type.Object(
        {
          name: Type.String({
            pattern: FIELD_NAME,
            description: "Text that the expression finds becomes `[name]`.",
          }),
          pattern: Type.String({
            minLength: 1,
            maxLength: 200,
            description: "A regular expression in RE2's syntax.",
          }),
        },
        strict,
      ),
      { maxItems: MAX_OWN_MASKING_RULES, description: "Applied in order, before the built-in rules." },
    ),
  },
  { ...strict, $id: "MaskingRules" },
);
