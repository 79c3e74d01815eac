import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { readRawBodies } from "../../http/raw-request.ts";
import { registerAssign } from "./assign.ts";
import { registerConfig } from "./config.ts";
import { allowAnyOrigin } from "./cors.ts";
import { registerEvents } from "./events.ts";
import { registerImport } from "./import.ts";
import { registerLangfuse } from "./langfuse.ts";
import { registerOfrep } from "./ofrep.ts";
import { registerOtlp } from "./otlp.ts";

/** The plane of the hot paths: raw bodies, API keys, any origin. */
export function registerIngestPlane(app: FastifyInstance, deps: Deps): void {
  app.decorateRequest("keyHolder", null);
  app.register(async (plane) => {
    readRawBodies(plane);
    allowAnyOrigin(plane);
    registerAssign(plane, deps);
    registerEvents(plane, deps);
    registerConfig(plane, deps);
    plane.register(async (flags) => registerOfrep(flags, deps));
  });
  app.register(async (plane) => registerImport(plane, deps));
  app.register(async (plane) => registerOtlp(plane, deps));
  app.register(async (plane) => registerLangfuse(plane, deps));
}
