import { createRequire } from "node:module";
import { dirname } from "node:path";
import { openApiDocument } from "@assay/contract";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { pageHeaders, setHeaders } from "../../http/security-headers.ts";

const ASSETS = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay API</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>`;

const START = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger-ui", deepLinking: true });`;

/** Swagger UI writes style attributes, and draws its icons from data: addresses. */
const SWAGGER_GRANTS = { "style-src": "'self' 'unsafe-inline'" };

let written: string | null = null;

/** Built at the first request: it takes 20 ms, and most processes never serve it. */
function document(): string {
  written ??= JSON.stringify(openApiDocument());
  return written;
}

/** Serves the OpenAPI document and a page to read it. */
export function registerDocs(app: FastifyInstance): void {
  app.get("/openapi.json", (_request, reply) => reply.type("application/json").send(document()));
  app.register(async (plane) => {
    setHeaders(plane, pageHeaders(SWAGGER_GRANTS));
    plane.get("/docs", (_request, reply) => reply.type("text/html; charset=utf-8").send(PAGE));
    plane.get("/docs/start.js", (_request, reply) => reply.type("text/javascript").send(START));
    plane.register(fastifyStatic, {
      root: ASSETS,
      prefix: "/docs/assets/",
      decorateReply: false,
      index: false,
      allowedPath: (path) => /^\/swagger-ui(-bundle\.js|\.css)$/.test(path),
    });
  });
}
