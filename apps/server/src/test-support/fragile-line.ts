import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

/** A TCP line to a server of this machine that can be cut (nobody listens) or be made to hang (nobody answers). */
export interface FragileLine {
  readonly port: number;
  set(state: "open" | "cut" | "hanging"): void;
  close(): Promise<void>;
}

/** Opens a line to a port of 127.0.0.1. */
export async function openFragileLine(to: number): Promise<FragileLine> {
  let state: Parameters<FragileLine["set"]>[0] = "open";
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (state === "cut") near.destroy();
    if (state !== "open") return;
    const far = dial(to, "127.0.0.1");
    keep(far);
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      state = next;
      endAll();
    },
    async close() {
      endAll();
      server.close();
      await once(server, "close");
    },
  };
}
