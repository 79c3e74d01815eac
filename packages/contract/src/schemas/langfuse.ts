import { Type } from "typebox";
import { JsonObjectSchema } from "./shared.ts";

// The public API of Langfuse (langfuse.com/docs/api). Its names are camelCase.

const Text = Type.Optional(Type.String());
const Instant = Type.Optional(Type.String({ format: "date-time" }));

export const LangfuseScore = Type.Object(
  {
    id: Type.Optional(
      Type.String({ description: "A score with the same id in the same trace counts once." }),
    ),
    traceId: Type.String(),
    observationId: Text,
    name: Type.String({ minLength: 1, maxLength: 200, description: "Name of the metric." }),
    value: Type.Union([Type.Number(), Type.String(), Type.Boolean()], {
      description: "Texts are acknowledged but not stored.",
    }),
    dataType: Type.Optional(
      Type.String({ description: "NUMERIC, BOOLEAN, CATEGORICAL, TEXT or CORRECTION." }),
    ),
    comment: Text,
    metadata: Type.Optional(JsonObjectSchema),
    timestamp: Instant,
  },
  { $id: "LangfuseScore" },
);

export const LangfuseScores = Type.Union([
  LangfuseScore,
  Type.Array(LangfuseScore, { minItems: 1, maxItems: 1_000 }),
]);

export const LangfuseScoreCreated = Type.Object({ id: Type.String() }, { $id: "LangfuseScoreCreated" });
export const LangfuseScoresAccepted = Type.Object(
  { message: Type.Literal("Accepted") },
  { $id: "LangfuseScoresAccepted" },
);
export const LangfuseScoresPartly = Type.Object(
  {
    accepted: Type.Integer(),
    rejected: Type.Integer(),
    errors: Type.Array(Type.Object({ message: Type.String() })),
  },
  { $id: "LangfuseScoresPartly" },
);

export const LangfuseBatch = Type.Object(
  {
    batch: Type.Array(
      Type.Object({
        id: Type.String({ description: "Id of the item, not of the object in its body." }),
        timestamp: Type.String({ format: "date-time" }),
        type: Type.String({
          description:
            "trace-create, score-create, sdk-log, or the type of an observation with -create or -update.",
        }),
        body: JsonObjectSchema,
      }),
      { maxItems: 1_000 },
    ),
    metadata: Type.Optional(JsonObjectSchema),
  },
  { $id: "LangfuseBatch" },
);

export const LangfuseBatchAnswer = Type.Object(
  {
    successes: Type.Array(Type.Object({ id: Type.String(), status: Type.Integer() })),
    errors: Type.Array(
      Type.Object({
        id: Type.String(),
        status: Type.Integer(),
        message: Type.String(),
        error: Type.String({ description: "What is wrong with the item." }),
      }),
    ),
  },
  { $id: "LangfuseBatchAnswer" },
);

const Named = Type.Object({ id: Type.String(), name: Type.String() });

export const LangfuseProjects = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        organization: Named,
        metadata: JsonObjectSchema,
      }),
    ),
  },
  { $id: "LangfuseProjects" },
);

export const LangfuseHealth = Type.Object(
  { status: Type.String(), version: Type.String({ description: "Assay's version." }) },
  { $id: "LangfuseHealth" },
);

/** Errors of Langfuse's API. */
export const LangfuseError = Type.Object(
  { message: Type.String(), error: Type.String({ description: "The name of the error." }) },
  { $id: "LangfuseError" },
);
