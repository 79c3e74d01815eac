import { Type } from "typebox";
import { operation } from "../operation.ts";
import { ErasureSchema, UserExportRow } from "../schemas/users.ts";

const recentAdmin = { kind: "session", role: "admin", isSignInRecent: true } as const;
/** Any user id that an event may carry, percent-encoded: a slash is `%2F`. */
const byUser = Type.Object({
  user_id: Type.String({
    minLength: 1,
    maxLength: 256,
    description: "The application's own id of the user, percent-encoded.",
  }),
});

export const listUserEvents = operation({
  operationId: "exportUser",
  method: "GET",
  path: "/v1/users/{user_id}/events",
  plane: "dashboard",
  summary:
    "Streams everything stored about a user of your applications, across all experiments and rehearsals, with texts and judgements. The audit log contains a fingerprint instead of the id. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  params: byUser,
  answers: {
    200: {
      description: "One event per line, then one rehearsed input per line; no lines if nothing is stored.",
      rows: UserExportRow,
    },
  },
  problems: ["not-found"],
});

export const eraseUser = operation({
  operationId: "eraseUser",
  method: "DELETE",
  path: "/v1/users/{user_id}",
  plane: "dashboard",
  summary:
    "Erases a user of your applications within a day: events with their texts, judgements and labels, including those in the queue and its dead letters. Stored runs stay, since they contain no personal data. Events sent later are stored as new data. The audit log contains a fingerprint instead of the id. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  params: byUser,
  answers: {
    202: { description: "The request is on disk, and the erasure will be completed.", schema: ErasureSchema },
  },
  problems: ["not-found"],
});
