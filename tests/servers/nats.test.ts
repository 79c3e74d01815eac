import { connect } from "node:net";
import { expect, test } from "vitest";
import { findNats, startNats } from "./nats.ts";

/** The server's first message: its INFO line. */
function infoOf(url: string): Promise<Record<string, unknown>> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => undefined);
    socket.once("error", reject).once("data", (bytes) => {
      socket.destroy();
      resolve(JSON.parse(/^INFO (.*)\r\n/.exec(String(bytes))?.[1] ?? "{}"));
    });
  });
}

test.skipIf(findNats() === null)(
  "three nodes form a cluster, and one that was killed comes back",
  async () => {
    const servers = await startNats({ nodes: 3 });
    try {
      const [node] = servers.nodes;
      const expected = { jetstream: true, cluster: "assay", max_payload: 8 * 1024 * 1024 };
      for (const { url } of servers.nodes) expect(await infoOf(url)).toMatchObject(expected);
      const { pid } = node!;
      await node!.kill("SIGKILL");
      await expect(infoOf(node!.url)).rejects.toThrow();
      await node!.restart();
      expect(node!.pid).not.toBe(pid);
      expect(await infoOf(node!.url)).toMatchObject(expected);
    } finally {
      await servers.stop();
    }
  },
);
