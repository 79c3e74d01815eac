import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { checkDependencies, isRequired } from "../../http/dependency-checks.ts";

/**
 * `/healthz`: the process runs and its event loop turns. `/readyz`: whether it can do its work and is not stopping,
 * with each engine's state. `/metrics`: Prometheus. None of them reveals anything about an org.
 */
export function registerProbes(app: FastifyInstance, deps: Deps): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    reply.header("cache-control", "no-store");
    const { status, ...body } = await readiness(deps);
    return reply.code(status === "ok" || status === "degraded" ? 200 : 503).send({ status, ...body });
  });
  app.get("/metrics", async (_request, reply) => {
    reply.header("content-type", deps.metrics.registry.contentType);
    return reply.send(await deps.metrics.registry.metrics());
  });
}

/** A stopping process is not ready, whatever its engines report, because load balancers need time to notice. */
async function readiness({ leaving, role, ...deps }: Deps) {
  if (leaving.aborted) return { status: "stopping", role, checks: {} };
  const checks = (await checkDependencies(deps)).map(({ name, latencyMs, fault }) => ({
    name,
    status: fault === null ? "ok" : "unavailable",
    required: isRequired(name, role),
    latency_ms: latencyMs,
  }));
  const down = checks.filter(({ status }) => status !== "ok");
  const status = down.some(({ required }) => required) ? "unavailable" : down.length > 0 ? "degraded" : "ok";
  return { status, role, checks: Object.fromEntries(checks.map(({ name, ...check }) => [name, check])) };
}
