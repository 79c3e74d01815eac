import { Type } from "typebox";
import { Instant, Nullable } from "./shared.ts";

export const ScimTokenStatus = Type.Object(
  { configured: Type.Boolean(), created_at: Nullable(Instant) },
  { $id: "ScimTokenStatus" },
);
export const ScimToken = Type.Object(
  {
    token: Type.String(),
    url: Type.String({ description: "The address to give the identity provider." }),
    created_at: Instant,
  },
  { $id: "ScimToken" },
);
