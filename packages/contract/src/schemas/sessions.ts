import { Type } from "typebox";
import { Instant } from "./shared.ts";

export const SessionList = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          started_at: Instant,
          last_used_at: Instant,
          user_agent: Type.String({
            description: 'The browser or program that signed in; "": unknown.',
          }),
          is_current: Type.Boolean({ description: "Whether this request uses the session." }),
        },
        { $id: "Session" },
      ),
    ),
  },
  { $id: "SessionList" },
);
