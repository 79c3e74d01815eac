import type { KeyScope, ProblemKind, Role } from "@assay/domain";
import type { Static, TSchema } from "typebox";
import { problems } from "./problem.ts";
import type { CamelCased } from "./wire.ts";

/**
 * Who may call: a session with at least the given role (some routes also require a recent sign-in), the platform owner, an API
 * key of one of the scopes, a signed request, or anybody.
 */
export type Auth =
  | {
      readonly kind: "session";
      readonly role: Role;
      readonly isSignInRecent?: true;
      /** Refuses service tokens: only a person may give access or spend money. */
      readonly isPersonal?: true;
      /** Accepts sessions that still lack the passkey their org requires, so that a person can add or use one. */
      readonly isBeforePasskey?: true;
    }
  | {
      readonly kind: "platform-owner";
      /** Also accepts service tokens that may run the nightly pipeline. */
      readonly takesNightTokens?: true;
    }
  /**
   * Signed: by an org's application with its webhook secret (Standard Webhooks), by the identity provider (the same scheme, as
   * Svix writes it), or by the billing provider.
   */
  | { readonly kind: "signature"; readonly by: "org" | "identity" | "billing" }
  | {
      readonly kind: "key";
      readonly scopes: readonly KeyScope[];
      /** Also accepts the key as a bearer token. */
      readonly takesBearer?: true;
      /** Also accepts the key as the password of Basic authentication, with any user name. */
      readonly takesBasic?: true;
    }
  | { readonly kind: "none" };

/** Access by a person (a bearer token or the session's cookie), or by a service token as a bearer. */
export type SessionAuth = Extract<Auth, { kind: "session" | "platform-owner" }>;

/** Returns whether a route accepts sessions. */
export function isSessionAuth(auth: Auth): auth is SessionAuth {
  return auth.kind === "session" || auth.kind === "platform-owner";
}

/** Returns whether a session route refuses service tokens. A token never signs in, so it fails a recent sign-in check too. */
export function isPersonal(auth: Auth): boolean {
  return auth.kind === "session" && (auth.isPersonal === true || auth.isSignInRecent === true);
}

/** A response header that the document declares. */
export type ResponseHeader = "ETag" | "Location" | "Retry-After" | "RateLimit" | "RateLimit-Policy";

export interface Answer {
  readonly description: string;
  /** Sent with every response of this status. */
  readonly headers?: readonly ResponseHeader[];
  readonly schema?: TSchema;
  /** Instead of `schema`: the body is streamed NDJSON, and each line has this schema. */
  readonly rows?: TSchema;
  /** Instead of `schema`: the body is a file of one of these media types. */
  readonly files?: readonly string[];
}

/** A file sent as the response. */
export interface AnswerFile {
  readonly mediaType: string;
  /** The suggested file name: letters, digits, dots, dashes and underscores. */
  readonly name: string;
  readonly parts: Iterable<Uint8Array>;
}

type Answers = Readonly<Record<number, Answer>>;

/** One route of the interface; validation, documentation and types all come from it. Paths use `{name}` for parameters. */
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
  /** Media types of the body. Absent: only JSON, which the body's schema describes. */
  readonly mediaTypes?: readonly string[];
  /** Errors are `google.rpc.Status` in the request's encoding, as OTLP requires, instead of problem details. */
  readonly hasRpcErrors?: true;
  /** Errors are a message and a name, as in Langfuse's API, instead of problem details. */
  readonly hasLangfuseErrors?: true;
  /** Request headers beyond the credential, for the document. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: Given;
  /** The problems specific to this route; `problemsOf` adds those that every route of its kind can return. */
  readonly problems: readonly ProblemKind[];
}

type Sent<S extends TSchema, None> = TSchema extends S ? None : CamelCased<Static<S>>;

/** The path parameters that a handler receives. */
export type ParamsOf<O> =
  O extends Operation<infer P, TSchema, TSchema> ? Sent<P, Record<never, never>> : never;
/** The query parameters that a handler receives. */
export type QueryOf<O> =
  O extends Operation<TSchema, infer Q, TSchema> ? Sent<Q, Record<never, never>> : never;
/** The body that a handler receives. */
export type BodyOf<O> = O extends Operation<TSchema, TSchema, infer B> ? Sent<B, null> : never;

type Frozen<T> = T extends string ? T : T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;
type BodyOfAnswer<A> = A extends { readonly schema: infer S extends TSchema } ? Static<S> : undefined;
/** A successful response of the operation: a status with its body in wire form. */
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
/** What a handler returns. `toWire` converts the body, or each line of it; files are sent unchanged. */
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

/**
 * Returns the problem for a path whose id does not exist. A malformed id counts as unknown. An operation lists its 404s in the
 * order of the path's parameters: in `/v1/experiments/{id}/exclusions/{number}/lift` the second 404 is about `number`.
 */
export function notFoundKind(
  { path, problems: own }: Pick<Operation, "path" | "problems">,
  parameter: string,
): ProblemKind {
  const kinds = own.filter((kind) => problems[kind].status === 404);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return kinds[Math.min(names.indexOf(parameter), kinds.length - 1)] ?? "not-found";
}

/** Lists every problem that the operation can return, except statuses for which it declares a response of its own. */
export function problemsOf({
  auth,
  answers,
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
  // An uploaded file has no body timeout, only the request's timeout.
  if (body && mediaTypes === undefined) all.add("body-timeout");
  if (query) all.add("invalid-query");
  if (isSessionAuth(auth) && method !== "GET") all.add("foreign-origin");
  if (auth.kind === "key" && auth.scopes.includes("publishable")) all.add("foreign-origin");
  if (auth.kind === "session" && auth.role !== "member") all.add("role-required");
  if (auth.kind === "session" && auth.isSignInRecent) all.add("recent-sign-in-required");
  if (isSessionAuth(auth) && !(auth.kind === "session" && auth.isBeforePasskey)) all.add("passkey-required");
  if (isPersonal(auth)) all.add("person-required");
  if (auth.kind === "platform-owner") all.add("platform-owner-required");
  return [...all].filter((kind) => !(problems[kind].status in answers));
}
