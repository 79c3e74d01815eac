import { langfuse } from "@assay/contract";
import { DomainError, isRecord, readLangfuseItem, readLangfuseScore } from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../deps.ts";
import { readRawBodies } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { unreadable } from "../../http/validate.ts";
import {
  idOf,
  itemSource,
  parseItems,
  type ReadItems,
  readItems,
  rejectManyItems,
} from "../../langfuse/read-items.ts";
import { receiveTraces } from "../../otlp/accept-traces.ts";
import { countFacts } from "../../otlp/traces.ts";
import { VERSION } from "../../version.ts";
import { admit, holderOf, readChargedBody, senderOf, takeRows } from "./admit.ts";

/**
 * Serves what Langfuse's SDKs call besides their span exporter (`otlp.ts`). Traces, observations and scores become
 * facts of traces, as OpenTelemetry's do. Acknowledged items are on disk.
 */
export function registerLangfuse(plane: FastifyInstance, deps: Deps): void {
  readRawBodies(plane);
  registerBatch(plane, deps);
  registerScores(plane, deps);
  const { getLangfuseProjects, getLangfuseHealth } = langfuse;
  plane.get(
    getLangfuseProjects.path,
    { onRequest: admit(getLangfuseProjects, "config", deps) },
    async (request, reply) => {
      const { orgId } = holderOf(request);
      const org = await deps.control.orgs.find(orgId);
      if (org === null) throw new DomainError("invalid-credential", "The key's organization does not exist.");
      const { id, name } = org;
      const project = { id, name, organization: { id, name }, metadata: {} };
      return sendWire<typeof getLangfuseProjects>(reply, { status: 200, body: { data: [project] } });
    },
  );
  plane.get(getLangfuseHealth.path, async (_request, reply) =>
    sendWire<typeof getLangfuseHealth>(reply, { status: 200, body: { status: "OK", version: VERSION } }),
  );
}

function registerBatch(plane: FastifyInstance, deps: Deps): void {
  const { postLangfuseBatch } = langfuse;
  plane.post(
    postLangfuseBatch.path,
    { onRequest: admit(postLangfuseBatch, "events", deps) },
    async (request, reply) => {
      const body = parseItems(await readChargedBody(request, deps));
      const batch = isRecord(body) ? body.batch : null;
      if (!Array.isArray(batch)) throw unreadable('The body must be {"batch": [...]}.');
      rejectManyItems(batch);
      const source = itemSource(request.headers, deps.clock.now());
      const read = await readItems(batch, (item) => readLangfuseItem(item, source));
      await receive(request, read, deps);
      const results = read.faults.map((fault, index) => ({ id: idOf(batch[index]), fault }));
      const successes = results.flatMap(({ id, fault }) => (fault === null ? [{ id, status: 201 }] : []));
      const errors = results.flatMap(({ id, fault }) =>
        fault === null ? [] : [{ id, status: 400, message: "Invalid request data", error: fault }],
      );
      return sendWire<typeof postLangfuseBatch>(reply, { status: 207, body: { successes, errors } });
    },
  );
}

function registerScores(plane: FastifyInstance, deps: Deps): void {
  const { postLangfuseScores } = langfuse;
  plane.post(
    postLangfuseScores.path,
    { onRequest: admit(postLangfuseScores, "events", deps) },
    async (request, reply) => {
      const body = parseItems(await readChargedBody(request, deps));
      const source = itemSource(request.headers, deps.clock.now());
      if (!Array.isArray(body)) {
        const id = isRecord(body) && typeof body.id === "string" && body.id !== "" ? body.id : deps.newId();
        const named = isRecord(body) ? { ...body, id } : body;
        const read = await readItems([named], (score) => readLangfuseScore(score, source));
        const [fault] = read.faults;
        if (typeof fault === "string") throw unreadable(fault);
        await receive(request, read, deps);
        return sendWire<typeof postLangfuseScores>(reply, { status: 200, body: { id } });
      }
      rejectManyItems(body);
      const read = await readItems(body, (score) => readLangfuseScore(score, source));
      await receive(request, read, deps);
      const errors = read.faults.flatMap((fault) => (fault === null ? [] : [{ message: fault }]));
      if (errors.length === 0)
        return sendWire<typeof postLangfuseScores>(reply, { status: 202, body: { message: "Accepted" } });
      const [accepted, rejected] = [body.length - errors.length, errors.length];
      return sendWire<typeof postLangfuseScores>(reply, {
        status: 207,
        body: { accepted, rejected, errors },
      });
    },
  );
}

/** Stores what was read. Throws when the month's allowance is used up. */
async function receive(request: FastifyRequest, { traces }: ReadItems, deps: Deps): Promise<void> {
  takeRows(holderOf(request), countFacts(traces), deps);
  await receiveTraces(senderOf(request, "otlp"), traces, deps);
}
