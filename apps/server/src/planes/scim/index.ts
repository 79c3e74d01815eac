import { createHash } from "node:crypto";
import { DomainError, JSON_LIMITS, measureJson, type ScimKind, type ScimResource } from "@assay/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ScimPatchOperation, scimPatch } from "scim-patch";
import type { Deps } from "../../deps.ts";
import { ownOrigin } from "../../http/own-origin.ts";
import { provision } from "../../scim/provision.ts";
import { readFilter } from "../../scim/read-filter.ts";
import { readDocument } from "../../scim/scim-documents.ts";
import { invalidValue, ScimError } from "../../scim/scim-error.ts";
import { discovery, ERROR, LIST_RESPONSE, SCHEMA_OF } from "../../scim/scim-schemas.ts";

const BASE = "/scim/v2";
const MEDIA_TYPE = "application/scim+json";
const MAX_BODY_BYTES = 2 * 1024 * 1024;
const MOST_RESULTS = 1_000;
const KINDS = ["User", "Group"] as const;
const OPERATIONS = ["add", "remove", "replace"];
const OTHER_METHODS = ["POST", "PUT", "PATCH", "DELETE"];

type Fields = Readonly<Record<string, unknown>>;

/** The org of a request, by its token. */
const orgs = new WeakMap<FastifyRequest, string>();
const orgOf = (request: FastifyRequest): string => orgs.get(request) ?? "";
const baseOf = (request: FastifyRequest): string => `${ownOrigin(request)}${BASE}`;

/** Serves SCIM 2.0 (RFC 7643, 7644): an identity provider creates, changes and removes the people and groups of one org. */
export function registerScim(plane: FastifyInstance, deps: Deps): void {
  plane.addContentTypeParser(MEDIA_TYPE, { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, parseBody);
  plane.setErrorHandler((error, request, reply) => {
    if (error instanceof ScimError && error.status === 401)
      deps.security.refuse(new DomainError("invalid-credential", error.message), request);
    sendError(error, request, reply);
  });
  plane.addHook("onRequest", async (request) => {
    orgs.set(request, await authenticate(request, deps));
  });
  serveDiscovery(plane);
  for (const kind of KINDS) serveResources(plane, kind, deps);
  plane.post(`${BASE}/.search`, async (request, reply) => {
    return send(reply, 200, await search(KINDS, request, searchOf(request), deps));
  });
  plane.all(`${BASE}/*`, () => {
    throw new ScimError(404, "There is nothing at this address.");
  });
}

function parseBody(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, value?: unknown) => void,
) {
  // Some clients send a content type without a body, as with DELETE.
  if (body.length === 0) return done(null, undefined);
  const { excess } = measureJson(body, JSON_LIMITS);
  if (excess !== null) return done(new ScimError(400, `The body ${excess}`, "invalidSyntax"));
  try {
    done(
      null,
      JSON.parse(body.toString("utf8"), (name, value) => (name === "__proto__" ? undefined : value)),
    );
  } catch {
    done(new ScimError(400, "The body is not JSON.", "invalidSyntax"));
  }
}

async function authenticate({ headers }: FastifyRequest, { control }: Deps): Promise<string> {
  const token = /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? "")?.[1];
  const hash = createHash("sha256")
    .update(token ?? "")
    .digest("hex");
  const orgId = token === undefined ? null : await control.scim.findOrg(hash);
  if (orgId !== null) return orgId;
  throw new ScimError(
    401,
    "Send the organization's SCIM token as Authorization: Bearer. An admin creates it with POST /v1/scim-token.",
  );
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const status =
    error instanceof ScimError ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
  if (status >= 500) request.log.error({ err: error, requestId: request.id }, "a SCIM request failed");
  const detail =
    status >= 500 ? "The request failed on our side. Its id is in the log." : (error as Error).message;
  const scimType = error instanceof ScimError ? error.scimType : null;
  const body = {
    schemas: [ERROR],
    status: String(status),
    detail,
    ...(scimType === null ? {} : { scimType }),
  };
  send(reply, status, body);
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).header("content-type", MEDIA_TYPE).serializer(JSON.stringify).send(body);
}

function serveDiscovery(plane: FastifyInstance): void {
  for (const { path } of discovery(BASE)) {
    const found = (request: FastifyRequest) => discovery(baseOf(request)).find((one) => one.path === path);
    plane.get(`${BASE}/${path}`, async (request, reply) => {
      const { resources, single } = found(request) ?? {};
      return send(reply, 200, single ?? listOf([...(resources?.values() ?? [])], {}));
    });
    plane.get(`${BASE}/${path}/:id`, async (request, reply) => {
      const resource = found(request)?.resources?.get((request.params as { id: string }).id);
      if (resource === undefined) throw new ScimError(404, "There is no such resource.");
      return send(reply, 200, resource);
    });
    for (const url of [`${BASE}/${path}`, `${BASE}/${path}/:id`])
      plane.route({
        method: OTHER_METHODS,
        url,
        handler: () => {
          throw new ScimError(405, "This address can only be read.");
        },
      });
  }
}

/** A page of resources, numbered from 1. */
function listOf(all: readonly object[], { startIndex, count }: Fields): object {
  const first = Math.max(1, Number.parseInt(String(startIndex ?? 1), 10) || 1);
  const most = Math.max(0, Math.min(MOST_RESULTS, Number.parseInt(String(count ?? MOST_RESULTS), 10) || 0));
  const Resources = all.slice(first - 1, first - 1 + most);
  return {
    schemas: [LIST_RESPONSE],
    ...{ totalResults: all.length, startIndex: first, itemsPerPage: Resources.length, Resources },
  };
}

function serveResources(plane: FastifyInstance, kind: ScimKind, deps: Deps): void {
  const [collection, one] = [`${BASE}/${kind}s`, `${BASE}/${kind}s/:id`];
  const idOf = (request: FastifyRequest) => (request.params as { id: string }).id;
  const answer = (request: FastifyRequest, resource: ScimResource) =>
    project(toWire(resource, baseOf(request)), request.query as Fields);

  plane.get(collection, async (request, reply) => {
    return send(reply, 200, await search([kind], request, request.query as Fields, deps));
  });
  plane.post(`${collection}/.search`, async (request, reply) => {
    return send(reply, 200, await search([kind], request, searchOf(request), deps));
  });
  plane.get(one, async (request, reply) => {
    return send(reply, 200, answer(request, await getResource(orgOf(request), kind, idOf(request), deps)));
  });
  plane.post(collection, async (request, reply) => {
    const resource = await change({ orgId: orgOf(request), kind, id: null }, () => request.body, deps);
    reply.header("location", `${baseOf(request)}/${kind}s/${resource.id}`);
    return send(reply, 201, answer(request, resource));
  });
  plane.put(one, async (request, reply) => {
    const target = { orgId: orgOf(request), kind, id: idOf(request) };
    return send(reply, 200, answer(request, await change(target, () => request.body, deps)));
  });
  plane.patch(one, async (request, reply) => {
    const target = { orgId: orgOf(request), kind, id: idOf(request) };
    const patched = await change(target, (before) => patch(before, request.body), deps);
    return send(reply, 200, answer(request, patched));
  });
  plane.delete(one, async (request, reply) => {
    await change({ orgId: orgOf(request), kind, id: idOf(request) }, () => null, deps);
    return reply.code(204).send();
  });
}

/** Reads a search sent as a body, where attributes come as lists. */
function searchOf({ body }: FastifyRequest): Fields {
  if (typeof body !== "object" || body === null) throw invalidValue("The body must be a JSON object.");
  return body as Fields;
}

async function search(
  kinds: readonly ScimKind[],
  request: FastifyRequest,
  query: Fields,
  { control }: Pick<Deps, "control">,
): Promise<object> {
  const lists = await Promise.all(kinds.map((kind) => control.scim.list(orgOf(request), kind)));
  const all = lists.flat().map((resource) => toWire(resource, baseOf(request)));
  const { filter = "" } = query;
  const matching = filter === "" ? all : all.filter(readFilter(bare(String(filter))));
  return listOf(
    matching.map((resource) => project(resource, query)),
    query,
  );
}

async function getResource(
  orgId: string,
  kind: ScimKind,
  id: string,
  { control }: Pick<Deps, "control">,
): Promise<ScimResource> {
  const resource = await control.scim.find(orgId, kind, id);
  if (resource === null) throw new ScimError(404, `There is no ${kind} with this id.`);
  return resource;
}

interface Target {
  readonly orgId: string;
  readonly kind: ScimKind;
  /** Null: create a new one. */
  readonly id: string | null;
}

/** Replaces a resource by the result of `next`; null deletes it. Either all effects on members apply or none. */
function change(
  { orgId, kind, id }: Target,
  next: (before: ScimResource) => unknown,
  deps: Deps,
): Promise<ScimResource> {
  return deps.control.transaction(async (stores) => {
    await stores.orgs.lock(orgId);
    const before =
      id === null ? null : await getResource(orgId, kind, id, { control: { ...deps.control, ...stores } });
    const now = deps.clock.now();
    const made = { orgId, kind, id: id ?? deps.newId(), isDeleted: false, createdAt: now };
    const body = next(before as ScimResource);
    const after: ScimResource =
      body === null && before !== null
        ? { ...before, isDeleted: true, isActive: false, updatedAt: now }
        : { ...(before ?? made), ...readDocument(kind, body), updatedAt: now };
    if (!after.isDeleted) {
      const others = (await stores.scim.list(orgId, kind)).filter((other) => other.id !== after.id);
      if (others.some(({ nameKey }) => nameKey === after.nameKey))
        throw new ScimError(409, `A ${kind} with this name already exists.`, "uniqueness");
    }
    await provision(before, after, { stores, deps });
    return after;
  });
}

function toWire({ id, kind, document, createdAt, updatedAt }: ScimResource, base: string) {
  const [created, lastModified] = [createdAt, updatedAt].map((at) => new Date(at).toISOString());
  const meta = { resourceType: kind, created, lastModified, location: `${base}/${kind}s/${id}` };
  return { schemas: [SCHEMA_OF[kind]], id, ...document, meta };
}

/** Leaves out attributes that the client did not request; id and schemas are always present. */
function project(resource: object, { attributes, excludedAttributes }: Fields): object {
  const names = (list: unknown) =>
    new Set(
      String(list)
        .split(",")
        .map((name) => bare(name.trim()).split(".")[0]?.toLowerCase()),
    );
  const [wanted, unwanted] = [attributes, excludedAttributes].map((list) =>
    list === undefined ? null : names(list),
  );
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      if (name === "id" || name === "schemas") return true;
      const key = name.toLowerCase();
      return wanted ? wanted.has(key) : !unwanted?.has(key);
    }),
  );
}

/** Strips the schema in front of an attribute. */
const bare = (path: string): string =>
  path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i, "");

function patch({ document, kind }: ScimResource, body: unknown): unknown {
  const given = (body as { Operations?: unknown } | undefined)?.Operations;
  if (!Array.isArray(given) || given.length === 0)
    throw invalidValue("Operations must be a list of changes.");
  const wrong = given.find((operation) => !OPERATIONS.includes(String(operation?.op).toLowerCase()));
  if (wrong !== undefined)
    throw new ScimError(400, "The op of each change must be add, remove or replace.", "invalidSyntax");
  const operations = given.map((operation: Fields) => ({
    ...operation,
    ...(typeof operation.path === "string" ? { path: bare(operation.path) } : {}),
  })) as unknown as ScimPatchOperation[];
  const resource = structuredClone({ schemas: [SCHEMA_OF[kind]], meta: {}, ...document });
  try {
    return scimPatch(resource as never, operations, { treatMissingAsAdd: true } as never);
  } catch (error) {
    throw new ScimError(400, `The patch cannot be applied: ${(error as Error).message}`, "invalidPath");
  }
}
