import { openApiDocument, operations } from "@assay/contract";
import Fastify, { type FastifyReply } from "fastify";
import { expect, test } from "vitest";
import { takeAnswerFaults } from "./check-answers.ts";

const ID = "0198c5a0-0000-7000-8000-000000000000";
const whoAmI = { org_id: ID, org_name: "", user_id: ID, role: "member", email: "a@b.c", name: "" };
const caller = { ...whoAmI, platform_owner: false };

/** What a caller gets of a service that answers this at the address. */
async function answered(path: string, answer: (reply: FastifyReply) => unknown, url = path) {
  const app = Fastify();
  app.get(path, async (_request, reply) => answer(reply));
  const response = await app.inject({ method: "GET", url });
  return { status: response.statusCode, detail: response.json().detail, faults: takeAnswerFaults() };
}

test("an answer that fits passes", async () => {
  expect(await answered("/v1/whoami", () => caller)).toMatchObject({ status: 200, faults: [] });
});

test.each([
  {
    name: "a field that the schema lacks",
    answer: { ...caller, kee: 1 },
    fault: "/kee is not a known field.",
  },
  { name: "a missing field", answer: whoAmI, fault: "/platform_owner is required." },
  {
    name: "another type",
    answer: { ...caller, name: null },
    fault: "/name must be string.",
  },
])("$name is a 500 that names it", async ({ answer, fault }) => {
  const { status, detail, faults } = await answered("/v1/whoami", () => answer);
  expect({ status, detail }).toEqual({ status: 500, detail: `GET /v1/whoami answers 200: ${fault}` });
  expect(faults).toEqual([detail]);
});

test("a status that the operation does not declare is a fault", async () => {
  const { detail } = await answered("/v1/whoami", (reply) => reply.code(203).send(caller));
  expect(detail).toBe("GET /v1/whoami answers 203: the status is not declared.");
});

test("so is a header that is sent and not declared, or declared and not sent", async () => {
  const sent = await answered("/v1/whoami", (reply) => reply.header("etag", '"1"').send(caller));
  expect(sent.detail).toContain("the header ETag is sent and not declared.");
  const missing = await answered("/v1/experiments/:id", () => ({}), `/v1/experiments/${ID}`);
  expect(missing.detail).toContain("the header ETag is declared and not sent.");
  const refusal = await answered("/v1/config", (reply) =>
    reply.code(429).header("retry-after", "1").send({}),
  );
  expect(refusal.detail).toContain("the header RateLimit is declared and not sent.");
});

test("the document declares every header where the service sends it", () => {
  type Responses = Readonly<Record<string, { readonly headers?: object }>>;
  const { paths } = openApiDocument() as {
    readonly paths: Readonly<Record<string, Record<string, { readonly responses: Responses }>>>;
  };
  const declared = operations.flatMap(({ operationId, path, method }) =>
    Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {}).map(
      ([status, { headers = {} }]) => [`${operationId} ${status}`, Object.keys(headers)] as const,
    ),
  );
  const successes = declared.filter(([answer, names]) => !/ [45]..$/.test(answer) && names.length > 0);
  expect(Object.fromEntries(successes)).toEqual({
    "createExperiment 201": ["Location", "ETag"],
    "startRehearsedExperiment 201": ["Location", "ETag"],
    "getExperiment 200": ["ETag"],
    "updateExperiment 200": ["ETag"],
    "holdExperiment 200": ["ETag"],
    "resumeExperiment 200": ["ETag"],
    "endExperimentHoldback 200": ["ETag"],
    "evaluateFlags 200": ["ETag"],
    "evaluateFlags 304": ["ETag"],
    "drawDataset 201": ["Location"],
    "uploadDataset 200": ["Location"],
    "uploadDataset 201": ["Location"],
    "getConfig 200": ["ETag"],
    "getConfig 304": ["ETag"],
  });
  for (const [answer, names] of declared) {
    if (answer.endsWith(" 429")) expect(names).toEqual(["Retry-After", "RateLimit", "RateLimit-Policy"]);
    else if (answer.endsWith(" 503")) expect(names).toEqual(["Retry-After"]);
    else if (/ [45]..$/.test(answer)) expect(names).toEqual([]);
  }
});
