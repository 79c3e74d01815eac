import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findPostgres, type RunningPostgres, startPostgres } from "../../../../../tests/servers/postgres.ts";
import { openPostgresControlPlane } from "./postgres.ts";
import { probePostgres } from "./probe-postgres.ts";

test("an unreachable server is reported in one line that names the setting", async () => {
  await expect(probePostgres("postgres://assay@127.0.0.1:1/assay")).rejects.toThrow(
    /^PostgreSQL at ASSAY_DATABASE_URL does not answer \(ECONNREFUSED\): check the address and that the server runs\.$/,
  );
});

describe.skipIf(findPostgres() === null)("a server", () => {
  let server: RunningPostgres;
  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: "20" } });
  });
  afterAll(() => server.stop());

  const at = (change: (url: URL) => void): string => {
    const url = new URL(server.url);
    change(url);
    return url.href;
  };
  const withOption = (option: string) => at((url) => url.searchParams.set("options", `-c ${option}`));

  test("reports its version, its connections, and whether the schema exists", async () => {
    const { found, advice } = await probePostgres(server.url);
    expect(found).toMatch(
      /^PostgreSQL \d+\.\d+, no schema yet: the first start creates it, \d+ of 20 connections in use$/,
    );
    expect(advice.join()).toContain("max_connections = 20 is too few");
    const control = openPostgresControlPlane({ url: server.url, newId: () => "id" });
    await control.migrate();
    await control.close();
    expect((await probePostgres(server.url)).found).toContain(", schema up to date, ");
  });

  test.each([
    {
      name: "a database that does not exist",
      url: () => at((url) => (url.pathname = "/nobody")),
      says: /create it/,
    },
    {
      name: "a user that does not exist",
      url: () => at((url) => (url.username = "nobody")),
      says: /refuses the user/,
    },
    {
      name: "a read-only server",
      url: () => withOption("default_transaction_read_only=on"),
      says: /read-only.*name the primary/,
    },
    {
      name: "no schema to create tables in",
      url: () => withOption("search_path=nowhere"),
      says: /grant CREATE/,
    },
  ])("$name is reported with a fix", async ({ url, says }) => {
    await expect(probePostgres(url())).rejects.toThrow(says);
  });

  test.each([
    { byMs: 600_000, says: "This machine's clock is 600 s ahead of PostgreSQL's" },
    { byMs: -90_000, says: "This machine's clock is 90 s behind PostgreSQL's" },
  ])("a clock that differs by $byMs ms is reported", async ({ byMs, says }) => {
    expect((await probePostgres(server.url)).advice.join()).not.toContain("clock");
    const now = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
    const { advice } = await probePostgres(server.url);
    vi.restoreAllMocks();
    expect(advice.join()).toContain(says);
  });

  test("a pooler that loses notifications is detected", async () => {
    const pooler = await deafPooler(Number(new URL(server.url).port));
    const { port } = pooler.address() as { port: number };
    await expect(probePostgres(at((url) => (url.port = String(port))))).rejects.toThrow(
      /pooler in transaction mode/,
    );
    await new Promise((resolve) => pooler.close(resolve));
  });
});

const NOTIFICATION = "A".charCodeAt(0);

/**
 * Forwards everything except notifications, like a pooler that gives a session to other clients between transactions.
 */
function deafPooler(port: number): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream);
    passMessages(upstream, client);
    upstream.on("end", () => client.end());
    for (const socket of [client, upstream])
      socket.on("error", () => undefined).on("close", () => [client, upstream].map((one) => one.destroy()));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/**
 * Messages of PostgreSQL's protocol: one byte for the type, then four for the length without the
 * type.
 */
function passMessages(from: Socket, to: Socket): void {
  let rest = Buffer.alloc(0);
  from.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const length = 1 + rest.readUInt32BE(1);
      if (rest[0] !== NOTIFICATION) to.write(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}
