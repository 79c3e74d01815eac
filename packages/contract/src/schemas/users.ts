import { PREFERENCES } from "@assay/domain";
import { Type } from "typebox";
import { listedFields, objectFields, textFields } from "./event-fields.ts";
import { JudgementSchema } from "./judge.ts";
import { RehearsalPairSchema } from "./rehearsals.ts";
import { Id, Instant, InstantOf, OneOf } from "./shared.ts";

/** One line of a user's events. */
export const UserEventSchema = Type.Object(
  {
    experiment_id: Id,
    ...listedFields,
    ...textFields,
    ...objectFields,
    is_raw: Type.Boolean({
      description:
        "False: the plan's retention has removed the raw event. Its prompt, response, metadata, provider and error type are null.",
    }),
    judgements: Type.Array(JudgementSchema, {
      description: "Judgements, if the call was drawn for a judge.",
    }),
  },
  { $id: "UserEvent" },
);

/** One line of a user's rehearsed inputs. */
export const UserRehearsalSchema = Type.Object(
  {
    rehearsal_id: Id,
    rehearsed: RehearsalPairSchema,
    picks: Type.Array(
      Type.Object({
        treatment: Type.String(),
        repeat: Type.Integer(),
        preference: OneOf(PREFERENCES),
        picked_at: Instant,
      }),
      { description: "People's picks between these answers." },
    ),
  },
  { $id: "UserRehearsal" },
);

/** One line of an export of everything stored about a user. */
export const UserExportRow = Type.Union([UserEventSchema, UserRehearsalSchema]);

export const ErasureSchema = Type.Object(
  {
    requested_at: Instant,
    due_at: InstantOf(
      "All data is removed by then. If an engine is down, its data is removed once it is back.",
    ),
    fingerprint: Type.String({
      description:
        "Represents the user in the audit log: `GET /v1/audit?target_id=` finds the request and its completion.",
    }),
    detail: Type.String({ description: "What happens next, in plain text." }),
  },
  { $id: "Erasure" },
);
