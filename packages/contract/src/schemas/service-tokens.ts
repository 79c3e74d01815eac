import { MAX_TOKEN_DAYS, TOKEN_ROLES } from "@assay/domain";
import { Type } from "typebox";
import { Id, Instant, Line, Nullable, OneOf, strict } from "./shared.ts";

export const ServiceTokenRequest = Type.Object(
  {
    name: Line(100),
    role: OneOf(TOKEN_ROLES),
    expires_in_days: Type.Integer({ minimum: 1, maximum: MAX_TOKEN_DAYS }),
    runs_nights: Type.Optional(
      Type.Boolean({
        description:
          "Default: false. True: the token may also run the nightly pipeline. Only a platform owner can create such a token.",
      }),
    ),
  },
  { ...strict, $id: "ServiceTokenRequest" },
);

const fields = {
  id: Id,
  name: Type.String(),
  role: OneOf(TOKEN_ROLES),
  runs_nights: Type.Boolean(),
  prefix: Type.String({ description: "The token's first characters, enough to recognize it." }),
  created_at: Instant,
  expires_at: Instant,
};

export const NewServiceToken = Type.Object(
  { ...fields, token: Type.String({ description: "The raw token. No other response contains it." }) },
  { $id: "NewServiceToken" },
);
export const ServiceTokenSchema = Type.Object(
  {
    ...fields,
    made_by: Type.String({ description: "Email of the person who created it." }),
    last_used_at: Type.Union([Instant, Type.Null()], {
      description: "Last use, up to a minute behind. Null: not used yet.",
    }),
    refused_because: Nullable(
      OneOf(["expired", "maker-gone", "maker-lost-role"], {
        description:
          "Null: the token works. A token never has more rights than its creator has now: `maker-gone` if they left, `maker-lost-role` if their role is lower than the token's.",
      }),
    ),
  },
  { $id: "ServiceToken" },
);
export const ServiceTokenList = Type.Object(
  { items: Type.Array(ServiceTokenSchema) },
  { $id: "ServiceTokenList" },
);
