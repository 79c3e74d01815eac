import { Type } from "typebox";
import { JsonObjectSchema, OneOf } from "./shared.ts";

// The OpenFeature Remote Evaluation Protocol (github.com/open-feature/protocol). Its names are camelCase.

/** The user of an evaluation. */
export const TargetingKey = Type.String({ minLength: 1, maxLength: 256, description: "The user's id." });

export const FlagRequest = Type.Object(
  {
    context: Type.Object(
      { targetingKey: TargetingKey },
      {
        description:
          "The evaluation context. Apart from targetingKey, Assay reads only unit_id or, without it, conversation_id or run_id. They name the unit, for experiments whose unit is not the user.",
      },
    ),
  },
  { $id: "FlagRequest" },
);

export const FlagParams = Type.Object({
  key: Type.String({
    description:
      "An experiment's name or id: the user's variant (string). With `.prompt`: the variant's prompt (string). With `.variables`: its variables (object). An experiment whose own name has such an ending takes precedence.",
  }),
});

export const FlagEvaluation = Type.Object(
  {
    key: Type.String(),
    value: Type.Optional(
      Type.Union([Type.String(), JsonObjectSchema], {
        description: "Absent: the application's default applies.",
      }),
    ),
    variant: Type.Optional(Type.String({ description: "Absent when the user has no variant." })),
    reason: OneOf(["SPLIT", "TARGETING_MATCH", "STATIC", "DEFAULT", "DISABLED"], {
      description:
        "SPLIT: by the user's bucket. TARGETING_MATCH: a QA user. STATIC: shipped to everybody. DEFAULT: the user has no variant. DISABLED: the experiment has ended.",
    }),
    metadata: Type.Object({
      experimentId: Type.String(),
      version: Type.Integer({ description: "The experiment's version." }),
      prompt: Type.Optional(
        Type.String({ description: "The variant's prompt, for the key without an ending." }),
      ),
    }),
  },
  { $id: "FlagEvaluation" },
);

const errorDetails = Type.String({ description: "What is wrong, in plain text." });
const InvalidCode = OneOf(["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT"]);

export const FlagFailure = Type.Object(
  { key: Type.String(), errorCode: InvalidCode, errorDetails },
  { $id: "FlagFailure" },
);
export const FlagNotFound = Type.Object(
  { key: Type.String(), errorCode: OneOf(["FLAG_NOT_FOUND"]), errorDetails },
  { $id: "FlagNotFound" },
);
export const FlagSet = Type.Object({ flags: Type.Array(FlagEvaluation) }, { $id: "FlagSet" });
export const FlagSetFailure = Type.Object(
  { errorCode: InvalidCode, errorDetails },
  { $id: "FlagSetFailure" },
);
