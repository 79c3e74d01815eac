import {
  changeOrder,
  type DomainError,
  invalidBody,
  isRecord,
  type MembershipUpdate,
  type OrgUpdate,
  parseRole,
  type UserUpdate,
} from "@assay/domain";

/** A change of a user, an org or a membership that Clerk reports. */
export type IdentityUpdate =
  | { readonly kind: "user"; readonly change: UserUpdate }
  | { readonly kind: "org"; readonly change: OrgUpdate }
  | {
      readonly kind: "membership";
      readonly change: MembershipUpdate;
      /** A custom role of the Clerk instance; null for a role that Assay knows. */
      readonly unknownRole: string | null;
    };

type Fields = Readonly<Record<string, unknown>>;
type Verb = "created" | "updated" | "deleted";

interface Event {
  readonly data: Fields;
  readonly order: number;
  readonly isDeleted: boolean;
}

const READERS: Readonly<Record<string, (event: Event) => IdentityUpdate[]>> = {
  user: (event) => [readUser(event)],
  organization: (event) => [readOrg(event)],
  organizationMembership: readMembership,
};
const TYPE = /^(user|organization|organizationMembership)\.(created|updated|deleted)$/;

/** The order of something that an event only mentions: it fills gaps and never overwrites. */
const MENTIONED = changeOrder(0, "created");

/** Limits for ids, names and emails: Clerk's are never longer. */
const MAX_ID = 255;
const MAX_NAME = 200;
const MAX_EMAIL = 254;

/**
 * Reads a Clerk event into updates of users, orgs and memberships, in the order in which they must be stored; null for any other type
 * of event. `deliveredAt` (epoch milliseconds) dates an event without a time. Throws `invalid-body`.
 */
export function parseClerkEvent(body: unknown, deliveredAt: number): readonly IdentityUpdate[] | null {
  if (!isRecord(body) || typeof body.type !== "string") throw fault("/type", "must be text.");
  const [, subject = "", verb] = TYPE.exec(body.type) ?? [];
  const read = READERS[subject];
  if (read === undefined) return null;
  if (!isRecord(body.data)) throw fault("/data", "must be an object.");
  const at = instantOf(body, verb as Verb) ?? deliveredAt;
  return read({ data: body.data, order: changeOrder(at, verb as Verb), isDeleted: verb === "deleted" });
}

/** Dates an event. A deletion is later than the object's last update, so the event's own time takes precedence there. */
function instantOf({ data, timestamp }: Fields, verb: Verb): number | null {
  const updatedAt = toMs(isRecord(data) ? data.updated_at : null);
  const happenedAt = toMs(timestamp);
  return verb === "deleted" ? (happenedAt ?? updatedAt) : (updatedAt ?? happenedAt);
}

const SECONDS_BELOW = 1e11;
/** The year 2100. An update dated later would count as the newest forever. */
const LATEST_MS = 4_102_444_800_000;

function toMs(value: unknown): number | null {
  if (typeof value !== "number" || !(value > 0)) return null;
  const ms = Math.trunc(value < SECONDS_BELOW ? value * 1000 : value);
  return ms < LATEST_MS ? ms : null;
}

function readUser({ data, order, isDeleted }: Event): IdentityUpdate {
  const externalId = idAt(data.id, "/data/id");
  const email = isDeleted ? null : verifiedEmail(data);
  const name = isDeleted ? null : (fullName(data) ?? nameOf(data.username) ?? email);
  return { kind: "user", change: { externalId, order, email, name, isDeleted } };
}

function readOrg({ data, order, isDeleted }: Event): IdentityUpdate {
  const externalId = idAt(data.id, "/data/id");
  const name = isDeleted ? null : nameOf(data.name);
  return { kind: "org", change: { externalId, order, name, isDeleted } };
}

function readMembership({ data, order, isDeleted }: Event): IdentityUpdate[] {
  const org = recordAt(data.organization, "/data/organization");
  const user = recordAt(data.public_user_data, "/data/public_user_data");
  const externalOrgId = idAt(org.id, "/data/organization/id");
  const externalUserId = idAt(user.user_id, "/data/public_user_data/user_id");
  if (typeof data.role !== "string") throw fault("/data/role", "must be text.");
  const role = parseRole(data.role);
  const mentioned = { order: MENTIONED, isDeleted: false };
  const name = fullName(user) ?? nameOf(user.identifier);
  return [
    // The org comes first: its row lock serializes changes of its members.
    { kind: "org", change: { ...mentioned, externalId: externalOrgId, name: nameOf(org.name) } },
    { kind: "user", change: { ...mentioned, externalId: externalUserId, email: null, name } },
    {
      kind: "membership",
      change: { externalUserId, externalOrgId, order, role: role ?? "member", isRemoved: isDeleted },
      unknownRole: role === null ? data.role : null,
    },
  ];
}

/** Returns the primary address in lower case, unless Clerk reports that it is not verified. */
function verifiedEmail({
  primary_email_address_id: primary,
  email_addresses: addresses,
}: Fields): string | null {
  if (typeof primary !== "string" || !Array.isArray(addresses)) return null;
  const entry = addresses.filter(isRecord).find(({ id }) => id === primary);
  const { verification } = entry ?? {};
  if (isRecord(verification) && verification.status !== "verified") return null;
  const email = textOf(entry?.email_address)?.toLowerCase() ?? null;
  return email === null || email.length > MAX_EMAIL ? null : email;
}

function fullName({ first_name: first, last_name: last }: Fields): string | null {
  return nameOf([textOf(first), textOf(last)].filter((part) => part !== null).join(" "));
}

function nameOf(value: unknown): string | null {
  return textOf(value)?.slice(0, MAX_NAME).toWellFormed() ?? null;
}

/** PostgreSQL accepts no NUL in text, and no engine stores half a surrogate pair. */
function textOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.replaceAll("\0", "").toWellFormed().trim();
  return text === "" ? null : text;
}

function recordAt(value: unknown, pointer: string): Fields {
  if (!isRecord(value)) throw fault(pointer, "must be an object.");
  return value;
}

function idAt(value: unknown, pointer: string): string {
  if (typeof value === "string" && value.length <= MAX_ID && /^[\x21-\x7e]+$/.test(value)) return value;
  throw fault(pointer, `must be an id: 1 to ${MAX_ID} printable characters.`);
}

function fault(pointer: string, detail: string): DomainError {
  return invalidBody([{ pointer, detail }]);
}
