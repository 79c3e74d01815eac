import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { registerContact } from "./contact.ts";
import { registerDashboard } from "./dashboard.ts";
import { registerDocs } from "./docs.ts";
import { registerProbes } from "./probes.ts";
import { registerSignIn } from "./sign-in.ts";

/** What needs no credential: probes, documents, the dashboard's files and the way in (contract §2). */
export function registerPublicPages(app: FastifyInstance, deps: Deps): void {
  registerProbes(app, deps);
  registerDocs(app);
  registerSignIn(app, deps);
  registerContact(app, deps);
  registerDashboard(app);
}
