import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { registerContact } from "./contact.ts";
import { registerDashboard } from "./dashboard.ts";
import { registerDocs } from "./docs.ts";
import { registerProbes } from "./probes.ts";
import { registerSharedReport } from "./shared-report.ts";
import { registerSignIn } from "./sign-in.ts";

/** Registers what needs no credential: probes, documents, sign-in, contact and the dashboard's files (contract §2). */
export function registerPublicPages(app: FastifyInstance, deps: Deps): void {
  registerProbes(app, deps);
  registerDocs(app);
  registerSignIn(app, deps);
  registerContact(app, deps);
  registerSharedReport(app, deps);
  registerDashboard(app);
}
