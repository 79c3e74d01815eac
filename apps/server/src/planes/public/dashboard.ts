import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";

const ROOT = fileURLToPath(new URL("../../../../dashboard/public/", import.meta.url));
const PAGES = ["/", "/sign-in", "/experiments/:id"];

const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** Serves the dashboard: one page for all its addresses, and its files under /assets/. */
export function registerDashboard(app: FastifyInstance): void {
  const page = readFileSync(`${ROOT}index.html`);
  for (const path of PAGES) {
    app.get(path, (_request, reply) =>
      reply.headers(SECURITY_HEADERS).type("text/html; charset=utf-8").send(page),
    );
  }
  app.register(fastifyStatic, { root: ROOT, prefix: "/assets/", decorateReply: false, index: false });
}
