import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { pageHeaders, setHeaders } from "../../http/security-headers.ts";

const ROOT = fileURLToPath(new URL("../../../../dashboard/public/", import.meta.url));
const PAGES = ["/", "/sign-in", "/members", "/experiments/:id"];

/** Serves the dashboard: one page for all its addresses, and its files under /assets/. */
export function registerDashboard(app: FastifyInstance): void {
  const page = readFileSync(`${ROOT}index.html`);
  app.register(async (plane) => {
    setHeaders(plane, pageHeaders());
    for (const path of PAGES) {
      plane.get(path, (_request, reply) => reply.type("text/html; charset=utf-8").send(page));
    }
    plane.register(fastifyStatic, { root: ROOT, prefix: "/assets/", decorateReply: false, index: false });
  });
}
