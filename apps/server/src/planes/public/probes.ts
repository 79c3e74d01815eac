import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";

/** `/healthz`: the process runs. `/readyz`: every dependency answers. `/metrics`: Prometheus. */
export function registerProbes(app: FastifyInstance, deps: Deps): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const checks = await readiness(deps);
    const isReady = Object.values(checks).every((state) => state === "ok");
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? "ok" : "unavailable", checks });
  });
  app.get("/metrics", async (_request, reply) => {
    reply.header("content-type", deps.metrics.registry.contentType);
    return reply.send(await deps.metrics.registry.metrics());
  });
}

/** An engine that hangs must not hang the probe: who asks waits a few seconds at most. */
const PROBE_MS = 2_000;

function withinDeadline(ping: Promise<void>): Promise<void> {
  return Promise.race([
    ping,
    sleep(PROBE_MS, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${PROBE_MS} ms`);
    }),
  ]);
}

async function readiness({ control, events, log }: Deps): Promise<Record<string, "ok" | "unavailable">> {
  const probe = (name: string, ping: Promise<void>) =>
    withinDeadline(ping).then(
      () => [name, "ok"] as const,
      (error: unknown) => {
        log.warn({ err: error, dependency: name }, "a dependency does not answer");
        return [name, "unavailable"] as const;
      },
    );
  return Object.fromEntries(
    await Promise.all([probe("control_plane", control.ping()), probe("event_store", events.ping())]),
  );
}
