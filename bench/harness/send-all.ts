import { Agent, request } from "node:http";
import type { Target } from "./load.ts";

const CONNECTIONS = 8;

/**
 * Sends `count` requests over a few connections as fast as they are answered. Throws when a status is not the
 * expected one.
 */
export async function sendAll(target: Target, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = count;
  const sender = async () => {
    while (left-- > 0) await send(target, agent);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sender));
  agent.destroy();
}

function send({ url, method, headers, body, status }: Target, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode === status ? resolve() : reject(new Error(`${url}: ${response.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end(body?.());
  });
}
