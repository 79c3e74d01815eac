// The reference: only node:http. It reads the body, parses it under /parse, and sends a fixed answer.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer, BareMessage } from "./bare-messages.ts";

let answer: Answer = { status: 204, headers: {}, body: "" };
let bytes = Buffer.alloc(0);
/** Keeps the engine from optimizing an unused parse away. */
let parsed: unknown = null;

function reply(response: ServerResponse): void {
  response.writeHead(answer.status, answer.headers);
  response.end(bytes.length === 0 ? undefined : bytes);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === "/parse") parsed = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    reply(response);
  });
});

process.on("message", (message) => {
  answer = message as Answer;
  bytes = Buffer.from(answer.body, "base64");
  tell({ kind: "taken" });
});
process.on("disconnect", () => process.exit(parsed === undefined ? 1 : 0));
server.listen(0, "127.0.0.1", () => tell({ kind: "ready", port: (server.address() as AddressInfo).port }));

function tell(message: BareMessage): void {
  process.send?.(message);
}
