import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { checkDependencies } from "../../http/dependency-checks.ts";

/** `/healthz`: the process runs. `/readyz`: every dependency answers. `/metrics`: Prometheus. */
export function registerProbes(app: FastifyInstance, deps: Deps): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const checks = await checkDependencies(deps);
    const isReady = checks.every(({ fault }) => fault === null);
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? "ok" : "unavailable",
      checks: Object.fromEntries(
        checks.map(({ name, fault }) => [name, fault === null ? "ok" : "unavailable"]),
      ),
    });
  });
  app.get("/metrics", async (_request, reply) => {
    reply.header("content-type", deps.metrics.registry.contentType);
    return reply.send(await deps.metrics.registry.metrics());
  });
}
