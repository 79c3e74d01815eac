import { asciiLowerCase, isRecord, type JsonObject, type ScimKind, type ScimResource } from "@assay/domain";
import { invalidValue } from "./scim-error.ts";

const MAX_TEXT = 1_000;
const MAX_EMAILS = 20;
const MAX_MEMBERS = 20_000;

type Fields = Readonly<Record<string, unknown>>;

/** The fields that identify a document and determine its effect. */
export type DocumentFacts = Pick<ScimResource, "document" | "nameKey" | "externalId" | "email" | "isActive">;

/** Reads the attributes of a user or a group that Assay keeps, and drops the rest. Throws a `ScimError` for a malformed one. */
export function readDocument(kind: ScimKind, body: unknown): DocumentFacts {
  if (!isRecord(body)) throw invalidValue("The body must be a JSON object.");
  return kind === "User" ? readUser(body) : readGroup(body);
}

function readUser(body: Fields): DocumentFacts {
  const userName = requireText(body, "userName");
  const externalId = findText(body, "externalId");
  const emails = readList(body.emails, "emails", MAX_EMAILS, readEmail);
  const active = readFlag(body.active, "active") ?? true;
  const primary = emails.find((email) => email.primary === true) ?? emails[0];
  return {
    nameKey: asciiLowerCase(userName),
    externalId,
    email: typeof primary?.value === "string" ? asciiLowerCase(primary.value) : null,
    isActive: active,
    document: compact({
      ...{ userName, externalId, displayName: findText(body, "displayName"), active },
      ...{ name: readName(body.name), emails: emails.length === 0 ? null : emails },
    }),
  };
}

function readGroup(body: Fields): DocumentFacts {
  const displayName = requireText(body, "displayName");
  const externalId = findText(body, "externalId");
  const members = readList(body.members, "members", MAX_MEMBERS, (member) => {
    const display = findText(member, "display");
    return compact({ value: requireText(member, "value"), display });
  });
  return {
    ...{ nameKey: asciiLowerCase(displayName), externalId, email: null, isActive: true },
    document: compact({ displayName, externalId, members: members.length === 0 ? null : members }),
  };
}

function readName(value: unknown): JsonObject | null {
  if (value === undefined || value === null) return null;
  if (!isRecord(value)) throw invalidValue("name must be an object.");
  const [formatted, familyName, givenName] = ["formatted", "familyName", "givenName"].map((part) =>
    findText(value, part),
  );
  const name = compact({ formatted, familyName, givenName });
  return Object.keys(name).length === 0 ? null : name;
}

function readEmail(email: Fields): JsonObject {
  const [value, type] = [findText(email, "value"), findText(email, "type")];
  return compact({ value, type, primary: readFlag(email.primary, "emails.primary") });
}

function readList(
  value: unknown,
  name: string,
  most: number,
  read: (item: Fields) => JsonObject,
): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value : [value];
  if (items.length > most) throw invalidValue(`${name} has more than ${most} values.`);
  return items.map((item) => {
    if (!isRecord(item)) throw invalidValue(`${name} must be a list of objects.`);
    return read(item);
  });
}

/** Entra sends flags as text. */
function readFlag(value: unknown, name: string): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text === "true" || text === "false") return text === "true";
  throw invalidValue(`${name} must be true or false.`);
}

function requireText(fields: Fields, name: string): string {
  const text = findText(fields, name);
  if (text === null || text.trim() === "") throw invalidValue(`${name} is required and must not be empty.`);
  return text;
}

function findText(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.length <= MAX_TEXT && value.isWellFormed() && !value.includes("\0"))
    return value;
  throw invalidValue(`${name} must be a string of at most ${MAX_TEXT} characters.`);
}

function compact(fields: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as JsonObject;
}

/** Lists the ids of a group's members. */
export function memberIds({ document }: Pick<ScimResource, "document">): readonly string[] {
  const { members } = document;
  if (!Array.isArray(members)) return [];
  return members.flatMap((member) =>
    isRecord(member) && typeof member.value === "string" ? [member.value] : [],
  );
}

/** Returns the group without one of its members. */
export function withoutMember(group: ScimResource, id: string): ScimResource {
  const { members, ...others } = group.document;
  const rest = (members as readonly JsonObject[]).filter(({ value }) => value !== id);
  return { ...group, document: rest.length === 0 ? others : { ...others, members: rest } };
}
