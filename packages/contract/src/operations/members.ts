import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  Invitation,
  InvitationPage,
  InvitationRequest,
  MemberPage,
  MemberRequest,
  MemberSchema,
  SeatReport,
} from "../schemas/members.ts";
import { Id, PageQuery } from "../schemas/shared.ts";

const admin = { kind: "session", role: "admin" } as const;
const adminInPerson = { ...admin, isPersonal: true } as const;
const byId = Type.Object({ id: Id });

export const listMembers = operation({
  operationId: "listMembers",
  method: "GET",
  path: "/v1/members",
  plane: "dashboard",
  summary: "Lists the org's members, newest first.",
  auth: { kind: "session", role: "member" },
  query: PageQuery,
  answers: { 200: { description: "One page.", schema: MemberPage } },
  problems: [],
});

export const putMember = operation({
  operationId: "putMember",
  method: "PUT",
  path: "/v1/members/{id}",
  plane: "dashboard",
  summary:
    "Sets a member's role, unless the identity provider assigns roles. It takes effect on the member's next request. Only an owner can change or appoint an owner. Giving a member more rights needs a sign-in within the last 15 minutes.",
  auth: adminInPerson,
  params: byId,
  body: MemberRequest,
  answers: { 200: { description: "The member.", schema: MemberSchema } },
  problems: ["member-not-found", "members-elsewhere", "last-owner", "recent-sign-in-required"],
});

export const removeMember = operation({
  operationId: "removeMember",
  method: "DELETE",
  path: "/v1/members/{id}",
  plane: "dashboard",
  summary:
    "Removes a member. Their sessions and tokens stop working at once, and their seat is free. Only an invitation or the identity provider can let them in again.",
  auth: adminInPerson,
  params: byId,
  answers: { 204: { description: "The member is removed." } },
  problems: ["member-not-found", "last-owner"],
});

export const createInvitation = operation({
  operationId: "createInvitation",
  method: "POST",
  path: "/v1/invitations",
  plane: "dashboard",
  summary:
    "Invites somebody. With the local identity, the response contains a one-time sign-in link, shown only once. An earlier link for the same email stops working. With an identity provider, the invitation lets a removed person in again at their next sign-in with this email. Inviting an admin or owner needs a sign-in within the last 15 minutes.",
  auth: adminInPerson,
  body: InvitationRequest,
  answers: { 201: { description: "The link.", schema: Invitation } },
  problems: ["platform-owner-required", "seats-exhausted", "recent-sign-in-required"],
});

export const listInvitations = operation({
  operationId: "listInvitations",
  method: "GET",
  path: "/v1/invitations",
  plane: "dashboard",
  summary: "Lists the invitations that can still be used, newest first, without their links.",
  auth: admin,
  query: PageQuery,
  answers: { 200: { description: "One page.", schema: InvitationPage } },
  problems: [],
});

export const revokeInvitation = operation({
  operationId: "revokeInvitation",
  method: "DELETE",
  path: "/v1/invitations/{id}",
  plane: "dashboard",
  summary: "Revokes an invitation: its link stops working at once.",
  auth: adminInPerson,
  params: byId,
  answers: { 204: { description: "It is revoked." } },
  problems: ["invitation-not-found"],
});

export const postSeatsResync = operation({
  operationId: "resyncSeats",
  method: "POST",
  path: "/v1/admin/seats/resync",
  plane: "platform-owner",
  summary: "Sends every org's seat cap to the identity provider. Repeating the call is harmless.",
  auth: { kind: "platform-owner" },
  answers: { 200: { description: "What the provider accepted.", schema: SeatReport } },
  problems: [],
});
