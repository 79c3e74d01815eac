import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pageHeaders, setHeaders } from "../../http/security-headers.ts";

const ROOT = fileURLToPath(new URL("../../../../dashboard/dist/", import.meta.url));

/** Addresses of the dashboard's pages: one document serves them all, and its router picks the page. */
const PAGES = [
  "/",
  "/sign-in",
  "/shared",
  "/start",
  "/start/instrumented",
  "/experiments/*",
  "/calls",
  "/judges",
  "/judges/*",
  "/rehearsals",
  "/rehearsals/*",
  "/catalogue",
  "/catalogue/*",
  "/usage",
  "/keys",
  "/audit",
  "/alerts",
  "/security",
  "/settings",
  "/account",
  "/feedback",
  "/platform",
  "/platform/*",
];

/** Serves the dashboard as `npm run build` made it, compressed for browsers that accept it. */
export function registerDashboard(app: FastifyInstance): void {
  app.register(async (plane) => {
    setHeaders(plane, pageHeaders());
    if (!existsSync(`${ROOT}index.html`)) {
      for (const path of PAGES) plane.get(path, (_request, reply) => answerNotBuilt(reply));
      return;
    }
    const page = readFileSync(`${ROOT}index.html`);
    for (const path of PAGES) {
      plane.get(path, (_request, reply) => reply.type("text/html; charset=utf-8").send(page));
    }
    plane.register(fastifyStatic, {
      root: `${ROOT}assets`,
      prefix: "/assets/",
      decorateReply: false,
      index: false,
      preCompressed: true,
      // The build names files after their content, so a cached file is never stale.
      maxAge: "365d",
      immutable: true,
    });
    const icon = readFileSync(`${ROOT}icon.svg`);
    plane.get("/icon.svg", (_request, reply) => reply.type("image/svg+xml").send(icon));
  });
}

/**
 * Answers a browser's request for an unknown address with status 404 and the dashboard, which shows an error. Returns
 * whether it did. Programs request JSON and get a problem.
 */
export function answerUnknownPage(request: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = request.method === "GET" && !API_PATHS.test(request.url);
  if (!isPage || !/\btext\/html\b/.test(request.headers.accept ?? "") || !existsSync(`${ROOT}index.html`))
    return false;
  reply
    .headers(pageHeaders())
    .code(404)
    .type("text/html; charset=utf-8")
    .send(readFileSync(`${ROOT}index.html`));
  return true;
}

/** Addresses for programs, and the files of the build. */
const API_PATHS = /^\/(v1|api|ofrep|scim|assets|healthz|readyz|metrics)(\/|\?|$)/;

function answerNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .type("text/plain; charset=utf-8")
    .send("The dashboard is not built: run npm run build, then start the service again.\n");
}
