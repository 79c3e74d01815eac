import { Type } from "typebox";
import { operation } from "../operation.ts";
import {
  PasskeyConfirmation,
  PasskeyList,
  PasskeyOptions,
  PasskeyPath,
  PasskeyRegistration,
  PasskeyRequirement,
  PasskeyRequirementRequest,
  PasskeySchema,
} from "../schemas/passkeys.ts";
import { Id } from "../schemas/shared.ts";

/** These routes must work for a member who still lacks the passkey that their org requires. */
const member = { kind: "session", role: "member", isPersonal: true, isBeforePasskey: true } as const;
const newcomer = { kind: "session", role: "member", isSignInRecent: true, isBeforePasskey: true } as const;
const recentAdmin = { kind: "session", role: "admin", isSignInRecent: true } as const;

export const listPasskeys = operation({
  operationId: "listPasskeys",
  method: "GET",
  path: "/v1/passkeys",
  plane: "dashboard",
  summary: "Lists the caller's own passkeys in the organization, oldest first. Local identity only.",
  auth: member,
  answers: { 200: { description: "At most 20.", schema: PasskeyList } },
  problems: ["members-elsewhere"],
});

export const createRegistrationOptions = operation({
  operationId: "createPasskeyRegistrationOptions",
  method: "POST",
  path: "/v1/passkeys/registration-options",
  plane: "dashboard",
  summary: "Starts adding a passkey. Needs a sign-in within the last 15 minutes.",
  auth: newcomer,
  answers: {
    200: { description: "The options that the browser passes to the authenticator.", schema: PasskeyOptions },
  },
  problems: ["members-elsewhere", "too-many-passkeys", "passkey-address", "passkey-required"],
});

export const createPasskey = operation({
  operationId: "createPasskey",
  method: "POST",
  path: "/v1/passkeys",
  plane: "dashboard",
  summary:
    "Adds a passkey from the authenticator's response; audit-logged. Needs a sign-in within the last 15 minutes.",
  auth: newcomer,
  body: PasskeyRegistration,
  answers: { 201: { description: "The passkey.", schema: PasskeySchema } },
  problems: [
    "members-elsewhere",
    "too-many-passkeys",
    "passkey-address",
    "passkey-refused",
    "passkey-required",
  ],
});

export const removePasskey = operation({
  operationId: "removePasskey",
  method: "DELETE",
  path: "/v1/passkeys/{id}",
  plane: "dashboard",
  summary: "Removes one of the caller's passkeys; audit-logged. Needs a sign-in within the last 15 minutes.",
  auth: { kind: "session", role: "member", isSignInRecent: true },
  params: PasskeyPath,
  answers: { 204: { description: "The passkey is removed." } },
  problems: ["members-elsewhere", "passkey-not-found"],
});

export const createConfirmationOptions = operation({
  operationId: "createPasskeyConfirmationOptions",
  method: "POST",
  path: "/v1/passkeys/confirmation-options",
  plane: "dashboard",
  summary: "Starts a passkey confirmation, which shows that the caller is still the person who signed in.",
  auth: member,
  answers: {
    200: { description: "The options that the browser passes to the authenticator.", schema: PasskeyOptions },
  },
  problems: ["members-elsewhere", "passkey-not-found", "passkey-address"],
});

export const confirmWithPasskey = operation({
  operationId: "confirmWithPasskey",
  method: "POST",
  path: "/v1/passkeys/confirm",
  plane: "dashboard",
  summary:
    "Completes the confirmation with the authenticator's response. For 15 minutes, the session counts as a recent sign-in.",
  auth: member,
  body: PasskeyConfirmation,
  answers: { 204: { description: "The session is confirmed." } },
  problems: ["members-elsewhere", "passkey-address", "passkey-refused"],
});

export const resetPasskeys = operation({
  operationId: "resetMemberPasskeys",
  method: "DELETE",
  path: "/v1/members/{id}/passkeys",
  plane: "dashboard",
  summary:
    "Removes all passkeys of a member who lost theirs, and ends their sessions; audit-logged. Only an owner can do this for an owner. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  params: Type.Object({ id: Id }),
  answers: { 204: { description: "The member has no passkeys." } },
  problems: ["members-elsewhere", "member-not-found"],
});

export const getPasskeyRequirement = operation({
  operationId: "getPasskeyRequirement",
  method: "GET",
  path: "/v1/passkey-requirement",
  plane: "dashboard",
  summary: "Reads whether the organization requires passkeys, and which members have none yet.",
  auth: { kind: "session", role: "admin" },
  answers: { 200: { description: "The requirement.", schema: PasskeyRequirement } },
  problems: ["members-elsewhere"],
});

export const putPasskeyRequirement = operation({
  operationId: "putPasskeyRequirement",
  method: "PUT",
  path: "/v1/passkey-requirement",
  plane: "dashboard",
  summary:
    "Turns the organization's passkey requirement on or off, with effect at once; audit-logged. Before turning it on, use your own passkey in this session. Needs a sign-in within the last 15 minutes.",
  auth: recentAdmin,
  body: PasskeyRequirementRequest,
  answers: { 200: { description: "The requirement.", schema: PasskeyRequirement } },
  problems: ["members-elsewhere"],
});
