import { type Auth, isPersonal, type Operation, problemsOf, type ResponseHeader } from "./operation.ts";
import { operations } from "./operations/index.ts";
import { PROBLEM_TYPE_BASE, problems } from "./problem.ts";
import { LangfuseError } from "./schemas/langfuse.ts";
import { ProblemSchema } from "./schemas/org.ts";
import { RpcStatus } from "./schemas/otlp.ts";

type JsonValue = unknown;
type Components = Record<string, JsonValue>;

/** The version of the interface, which is independent of the program's version. */
const CONTRACT_VERSION = "1.0.0";

/** Builds the OpenAPI 3.1 document from the operations, with the same schemas that validate requests. */
export function openApiDocument(): Record<string, JsonValue> {
  const components: Components = {};
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const declared of operations) {
    paths[declared.path] ??= {};
    (paths[declared.path] as Record<string, JsonValue>)[declared.method.toLowerCase()] = describe(
      declared,
      components,
    );
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Assay",
      version: CONTRACT_VERSION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: components,
      headers: HEADERS,
      securitySchemes: {
        session: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        cookie: { type: "apiKey", in: "cookie", name: "__session" },
        serviceToken: {
          type: "http",
          scheme: "bearer",
          description: "A machine's token, `svc_st_…`, used in place of a session token.",
        },
        key: { type: "apiKey", in: "header", name: "X-API-Key" },
        keyAsBearer: {
          type: "http",
          scheme: "bearer",
          description: "The same key, `svc_pk_…` or `svc_sk_…`, as a bearer token.",
        },
        keyAsPassword: {
          type: "http",
          scheme: "basic",
          description: "The same key as the password, with any user name.",
        },
        signature: header(
          "webhook-signature",
          "Standard Webhooks: `v1,<base64 HMAC-SHA256 of webhook-id.webhook-timestamp.body>`, with the headers `webhook-id` and `webhook-timestamp`. The timestamp may be off by five minutes.",
        ),
        identitySignature: header(
          "svix-signature",
          "The same scheme, signed by the identity provider, with the headers `svix-id` and `svix-timestamp`. The `webhook-*` names are accepted too.",
        ),
        billingSignature: header(
          "Billing-Signature",
          "Signed by the billing provider as `t=<seconds>,v1=<hex HMAC-SHA256 of t.body>`; `Stripe-Signature` is accepted too.",
        ),
      },
    },
  };
}

function describe(declared: Operation, components: Components): JsonValue {
  const { operationId, summary, plane, auth, body } = declared;
  return {
    operationId,
    summary,
    tags: [plane],
    security: securityOf(auth),
    ...(auth.kind === "session" ? { "x-role": auth.role } : {}),
    ...(auth.kind === "key" ? { "x-key-scopes": auth.scopes } : {}),
    parameters: parameters(declared, components),
    ...(body
      ? {
          requestBody: {
            required: isRequired(body),
            content: contents(declared, reference(body, components)),
          },
        }
      : {}),
    responses: { ...successes(declared, components), ...failures(declared, components) },
  };
}

function header(name: string, description: string): JsonValue {
  return { type: "apiKey", in: "header", name, description };
}

const SIGNATURES = { org: "signature", identity: "identitySignature", billing: "billingSignature" } as const;

function securityOf(auth: Auth): JsonValue {
  if (auth.kind === "none") return [];
  if (auth.kind === "key")
    return [
      { key: [] },
      ...(auth.takesBearer ? [{ keyAsBearer: [] }] : []),
      ...(auth.takesBasic ? [{ keyAsPassword: [] }] : []),
    ];
  if (auth.kind === "signature") return [{ [SIGNATURES[auth.by]]: [] }];
  const takesTokens = auth.kind === "session" ? !isPersonal(auth) : auth.takesNightTokens === true;
  return [{ session: [] }, { cookie: [] }, ...(takesTokens ? [{ serviceToken: [] }] : [])];
}

/** A request without a body is read as `{}`. */
function isRequired(body: object): boolean {
  const {
    type,
    required = [],
    minProperties = 0,
  } = body as {
    type?: string;
    required?: readonly string[];
    minProperties?: number;
  };
  return type !== "object" || required.length > 0 || minProperties > 0;
}

function parameters({ params, query, headers }: Operation, components: Components): JsonValue[] {
  const listed = (place: string, schema: unknown) => {
    const { properties = {}, required = [] } = (schema ?? {}) as {
      properties?: Components;
      required?: string[];
    };
    return Object.entries(properties).map(([name, value]) => ({
      name,
      in: place,
      required: required.includes(name),
      schema: reference(value, components),
    }));
  };
  const header = Object.entries(headers ?? {}).map(([name, description]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
  return [...listed("path", params), ...listed("query", query), ...header];
}

function successes({ answers }: Operation, components: Components): Components {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, headers = [], schema, rows, files }]) => [
      status,
      {
        description,
        ...declareHeaders(headers),
        ...(schema ? { content: json(reference(schema, components)) } : {}),
        ...(rows ? { content: { [NDJSON]: { schema: reference(rows, components) } } } : {}),
        ...(files ? { content: Object.fromEntries(files.map((type) => [type, {}])) } : {}),
      },
    ]),
  );
}

function failures(declared: Operation, components: Components): Components {
  const byStatus = Map.groupBy(problemsOf(declared), (kind) => problems[kind].status);
  const content = errorContents(declared, components);
  return Object.fromEntries(
    [...byStatus].map(([status, kinds]) => [
      String(status),
      {
        description: kinds.map((kind) => `${problems[kind].title} (${PROBLEM_TYPE_BASE}${kind}).`).join(" "),
        ...declareHeaders(PROBLEM_HEADERS[status] ?? []),
        content,
      },
    ]),
  );
}

function errorContents(declared: Operation, components: Components): Components {
  if (declared.hasRpcErrors) return contents(declared, reference(RpcStatus, components));
  if (declared.hasLangfuseErrors) return json(reference(LangfuseError, components));
  return { "application/problem+json": { schema: reference(ProblemSchema, components) } };
}

const text = { schema: { type: "string" }, required: true };

const HEADERS: Readonly<Record<ResponseHeader, JsonValue>> = {
  ETag: {
    description: "A strong entity tag: the version of an experiment, or of one representation of the config.",
    ...text,
  },
  Location: { description: "The path of the created resource.", ...text },
  "Retry-After": {
    description: "Seconds to wait before trying again.",
    schema: { type: "integer", minimum: 1 },
    required: true,
  },
  RateLimit: {
    description: '`"<policy>";r=<remaining>;t=<seconds until more is available>` (IETF draft).',
    ...text,
  },
  "RateLimit-Policy": {
    description: '`"<policy>";q=<quota>;w=<window in seconds>` (IETF draft).',
    ...text,
  },
};

/** Responses with these statuses say when to retry; 429 also names the limit that was reached. */
const PROBLEM_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  503: ["Retry-After"],
};

function declareHeaders(names: readonly ResponseHeader[]): Components {
  if (names.length === 0) return {};
  const declared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { headers: Object.fromEntries(declared) };
}

/** The schema describes JSON. Bodies of other media types are documented as text. */
function contents({ mediaTypes = ["application/json"] }: Operation, schema: JsonValue): Components {
  return Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: type === "application/json" ? schema : { type: "string" } }]),
  );
}

/** The media type of responses that are streamed line by line. The schema describes one line. */
export const NDJSON = "application/x-ndjson";

const json = (schema: JsonValue) => ({ "application/json": { schema } });

/** Moves every schema with an `$id` into the components and puts a `$ref` in its place. */
function reference(schema: unknown, components: Components): JsonValue {
  if (Array.isArray(schema)) return schema.map((item) => reference(item, components));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id, ...rest } = schema as { $id?: string };
  const inlined = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, reference(value, components)]),
  );
  if ($id === undefined) return inlined;
  components[$id] ??= inlined;
  return { $ref: `#/components/schemas/${$id}` };
}
