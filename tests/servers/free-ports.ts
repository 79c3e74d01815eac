import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Finds free ports of 127.0.0.1. Holds all of them until the last is found, so they differ. Use them soon afterward.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const holders = await Promise.all(Array.from({ length: count }, hold));
  const ports = holders.map(portOf);
  await Promise.all(holders.map((holder) => new Promise((resolve) => holder.close(resolve))));
  return ports;
}

async function hold(): Promise<Server> {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  return holder;
}

function portOf(holder: Server): number {
  const address = holder.address();
  if (address === null || typeof address === "string") throw new Error("The port could not be read.");
  return address.port;
}
