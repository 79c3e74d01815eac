import { ingest } from "@assay/contract";
import type { FastifyInstance } from "fastify";
import type { KeyHolder } from "../../config/key-ring.ts";
import type { Deps } from "../../deps.ts";
import { registerAssign } from "./assign.ts";
import { registerBusinessEvents } from "./business-events.ts";
import { registerConfig } from "./config.ts";
import { allowAnyOrigin } from "./cors.ts";
import { registerEvents } from "./events.ts";
import { registerImport } from "./import.ts";
import { authenticateBeforeBody, readRawBodies } from "./raw-request.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the ingest plane, before the body is read. */
    keyHolder: KeyHolder | null;
  }
}

/** The plane of the hot paths: raw bodies, API keys, any origin. */
export function registerIngestPlane(app: FastifyInstance, deps: Deps): void {
  app.register(async (plane) => {
    readRawBodies(plane);
    allowAnyOrigin(plane);
    authenticateBeforeBody(plane, ingest.postEvents, deps);
    registerAssign(plane, deps);
    registerEvents(plane, deps);
    registerConfig(plane, deps);
  });
  app.register(async (plane) => registerImport(plane, deps));
  app.register(async (plane) => registerBusinessEvents(plane, deps));
}
