import { request } from "node:http";
import type { Answer } from "./bare-messages.ts";
import type { Target } from "./load.ts";

/** These are node:http's own on both sides. */
const OWN_HEADERS = ["date", "connection", "keep-alive", "transfer-encoding"];

/** Asks once and returns the answer's bytes as they came over the wire. Throws when the status is not the target's. */
export function askOnce({ url, method, headers, body, status }: Target): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        if (response.statusCode !== status) reject(new Error(`${url}: ${response.statusCode} ${bytes}`));
        const kept = Object.entries(response.headersDistinct).flatMap(([name, values]) =>
          OWN_HEADERS.includes(name) ? [] : [[name, values?.join(", ") ?? ""]],
        );
        resolve({ status, headers: Object.fromEntries(kept), body: bytes.toString("base64") });
      });
    });
    asked.on("error", reject);
    asked.end(body?.());
  });
}
