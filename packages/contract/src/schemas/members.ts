import { ROLES } from "@assay/domain";
import { Type } from "typebox";
import { Email, Id, Instant, JsonObjectSchema, Line, NextCursor, Nullable, OneOf, strict } from "./shared.ts";

export const MemberSchema = Type.Object(
  {
    user_id: Id,
    name: Type.String(),
    email: Type.String(),
    role: OneOf(ROLES),
    joined_at: Nullable(Instant),
    created_at: Instant,
  },
  { $id: "Member", description: "`joined_at` is null until the member's first session." },
);
export const MemberPage = Type.Object(
  { items: Type.Array(MemberSchema), next_cursor: NextCursor },
  { $id: "MemberPage" },
);
export const MemberRequest = Type.Object({ role: OneOf(ROLES) }, { ...strict, $id: "MemberRequest" });

export const InvitationRequest = Type.Object(
  {
    email: Email,
    role: Type.Optional(
      OneOf(ROLES, { description: "Default: member, or the current role of an existing member." }),
    ),
    name: Type.Optional(Line(200, 0)),
  },
  { ...strict, $id: "InvitationRequest" },
);
export const Invitation = Type.Object(
  { id: Id, url: Type.String(), email: Type.String(), role: OneOf(ROLES), expires_at: Instant },
  { $id: "Invitation" },
);
export const PendingInvitation = Type.Object(
  {
    id: Id,
    email: Type.String(),
    name: Type.String(),
    role: OneOf(ROLES),
    created_at: Instant,
    expires_at: Instant,
  },
  { $id: "PendingInvitation" },
);
export const InvitationPage = Type.Object(
  { items: Type.Array(PendingInvitation), next_cursor: NextCursor },
  { $id: "InvitationPage" },
);

export const SeatReport = Type.Object(
  {
    provider: OneOf(["local", "clerk", "oidc"]),
    pushed: Type.Integer({
      description: "Number of orgs whose cap the provider accepted; 0 without a provider.",
    }),
    failed: Type.Array(Type.Object({ org_id: Id, detail: Type.String() })),
  },
  { $id: "SeatReport" },
);

/** The envelope. Clerk documents `data` for each type. */
export const ClerkEvent = Type.Object(
  {
    type: Type.String({ description: "user.*, organization.* and organizationMembership.* are used." }),
    data: JsonObjectSchema,
    timestamp: Type.Optional(Type.Number({ description: "When it happened, epoch milliseconds." })),
  },
  { $id: "ClerkEvent" },
);
