import { request } from "node:http";
import type { Answer } from "./bare-messages.ts";
import type { Target } from "./load.ts";

/** Both servers leave these to node:http. */
const OWN_HEADERS = ["date", "connection", "keep-alive", "transfer-encoding"];

/** Sends one request and returns the raw bytes of the answer. Throws when the status is not the target's. */
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
