import type { KeyScope, ProblemKind, Role } from "@assay/domain";
import type { Static, TSchema } from "typebox";
import { problems } from "./problem.ts";
import type { CamelCased } from "./wire.ts";

/** Who may call: a session with at least a role, perhaps one that began lately, the platform owner, an API key of one of the scopes, a signature, or anybody. */
export type Auth =
  | {
      readonly kind: "session";
      readonly role: Role;
      readonly isSignInRecent?: true;
      /** Refuses service tokens: what gives access or costs money is a person's act. */
      readonly isPersonal?: true;
      /** Takes sessions without the passkey that their org requires: what one needs to add or use it. */
      readonly isBeforePasskey?: true;
    }
  | {
      readonly kind: "platform-owner";
      /** Also takes service tokens that may run the nightly pipeline. */
      readonly takesNightTokens?: true;
    }
  /**
   * Signed: by an org's application with its webhook secret (Standard Webhooks), by the identity provider (the same scheme, as
   * Svix writes it), or by the billing provider.
   */
  | { readonly kind: "signature"; readonly by: "org" | "identity" | "billing" }
  | { readonly kind: "key"; readonly scopes: readonly KeyScope[] }
  | { readonly kind: "none" };

/** Access by a person (a bearer token or the session's cookie), or by a service token as a bearer. */
export type SessionAuth = Extract<Auth, { kind: "session" | "platform-owner" }>;

/** Returns whether a route takes sessions. */
export function isSessionAuth(auth: Auth): auth is SessionAuth {
  return auth.kind === "session" || auth.kind === "platform-owner";
}

/** Returns whether a route of sessions refuses service tokens. A token has no sign-in, so it has no recent one either. */
export function isPersonal(auth: Auth): boolean {
  return auth.kind === "session" && (auth.isPersonal === true || auth.isSignInRecent === true);
}

/** A header of an answer that the document declares. */
export type ResponseHeader = "ETag" | "Location" | "Retry-After" | "RateLimit" | "RateLimit-Policy";

export interface Answer {
  readonly description: string;
  /** Sent with every such answer. */
  readonly headers?: readonly ResponseHeader[];
  readonly schema?: TSchema;
  /** In place of `schema`: the body is NDJSON, streamed, each line of which has this schema. */
  readonly rows?: TSchema;
  /** In place of `schema`: the body is a file of one of these media types. */
  readonly files?: readonly string[];
}

/** A file to answer with. */
export interface AnswerFile {
  readonly mediaType: string;
  /** Suggested to who saves it: letters, digits, dots, dashes and underscores. */
  readonly name: string;
  readonly parts: Iterable<Uint8Array>;
}

type Answers = Readonly<Record<number, Answer>>;

/** One route of the interface: validates, documents and types itself. Paths use `{name}` for parameters. */
export interface Operation<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Given extends Answers = Answers,
> {
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly plane: "dashboard" | "ingest" | "webhooks" | "public" | "platform-owner";
  readonly summary: string;
  readonly auth: Auth;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Media types of the body; only JSON, which the schema of the body describes, when absent. */
  readonly mediaTypes?: readonly string[];
  /** Request headers beyond the credential, for the document. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: Given;
  /** The problems that are this route's own; those that any route of its kind can answer are added by `problemsOf`. */
  readonly problems: readonly ProblemKind[];
}

type Sent<S extends TSchema, None> = TSchema extends S ? None : CamelCased<Static<S>>;

/** What a handler of the operation gets of its path. */
export type ParamsOf<O> =
  O extends Operation<infer P, TSchema, TSchema> ? Sent<P, Record<never, never>> : never;
/** What a handler of the operation gets of its query. */
export type QueryOf<O> =
  O extends Operation<TSchema, infer Q, TSchema> ? Sent<Q, Record<never, never>> : never;
/** What a handler of the operation gets of its body. */
export type BodyOf<O> = O extends Operation<TSchema, TSchema, infer B> ? Sent<B, null> : never;

type Frozen<T> = T extends string ? T : T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
type BodyOfAnswer<A> = A extends { readonly schema: infer S extends TSchema } ? Static<S> : undefined;
/** An answer of the operation without a problem: its status with the body that belongs to it, as the wire has it. */
export type WireReplyOf<O> =
  O extends Operation<TSchema, TSchema, TSchema, infer Given>
    ? {
        [Status in keyof Given]: BodyOfAnswer<Given[Status]> extends undefined
          ? { readonly status: Status }
          : { readonly status: Status; readonly body: Frozen<BodyOfAnswer<Given[Status]>> };
      }[keyof Given]
    : never;

type RowsOf<O> =
  O extends Operation<TSchema, TSchema, TSchema, infer Given>
    ? {
        [Status in keyof Given]: Given[Status] extends { readonly rows: infer S extends TSchema }
          ? Static<S>
          : never;
      }[keyof Given]
    : never;
type HasFiles<O> =
  O extends Operation<TSchema, TSchema, TSchema, infer Given>
    ? Extract<Given[keyof Given], { readonly files: readonly string[] }>
    : never;
type SuccessOf<Reply> = Reply extends { readonly status: infer Status }
  ? `${Status & number}` extends `2${string}`
    ? Reply extends { readonly body: infer Body }
      ? CamelCased<Body>
      : Awaited<Promise<void>> // What an async function without a result resolves to.
    : never
  : never;
/** What a handler of the operation returns: `toWire` makes the answer of it, or each of its lines; a file goes as it is. */
export type AnswerOf<O> = [HasFiles<O>] extends [never]
  ? [RowsOf<O>] extends [never]
    ? SuccessOf<WireReplyOf<O>>
    : AsyncIterable<CamelCased<RowsOf<O>>>
  : AnswerFile;

/** Declares an operation and keeps the types of its schemas. */
export function operation<
  Given extends Answers,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
>(declared: Operation<Params, Query, Body, Given>): Operation<Params, Query, Body, Given> {
  return declared;
}

/** Returns the problem for a path that names nothing; a malformed id is as unknown as any other. */
export function notFoundKind({ problems: own }: Pick<Operation, "problems">): ProblemKind {
  return own.find((kind) => problems[kind].status === 404) ?? "not-found";
}

/** Lists every problem that the operation can answer. */
export function problemsOf({
  auth,
  body,
  mediaTypes,
  query,
  method,
  problems: own,
}: Operation): readonly ProblemKind[] {
  const all = new Set<ProblemKind>(own);
  if (auth.kind !== "none") all.add(auth.kind === "signature" ? "invalid-signature" : "invalid-credential");
  all.add("storage-unavailable").add("internal");
  if (isSessionAuth(auth)) all.add("seat-required").add("identity-unavailable");
  if (body) all.add("invalid-body").add("body-too-large").add("unsupported-media-type");
  // A file may take as long as a request may.
  if (body && mediaTypes === undefined) all.add("body-timeout");
  if (query) all.add("invalid-query");
  if (isSessionAuth(auth) && method !== "GET") all.add("foreign-origin");
  if (auth.kind === "key" && auth.scopes.includes("publishable")) all.add("foreign-origin");
  if (auth.kind === "session" && auth.role !== "member") all.add("role-required");
  if (auth.kind === "session" && auth.isSignInRecent) all.add("recent-sign-in-required");
  if (isSessionAuth(auth) && !(auth.kind === "session" && auth.isBeforePasskey)) all.add("passkey-required");
  if (isPersonal(auth)) all.add("person-required");
  if (auth.kind === "platform-owner") all.add("platform-owner-required");
  return [...all];
}
