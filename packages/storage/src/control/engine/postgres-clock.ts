import pg from "pg";

/** The signing and the reading process of a session may differ by this much. */
const ALLOWED_MS = 5_000;
const TIMEOUT_MS = 5_000;

/** Compares this machine's clock with the server's; null when they agree. */
export async function clockAdvice(server: Pick<pg.ClientBase, "query">): Promise<string | null> {
  const askedAt = Date.now();
  const { rows } = await server.query<{ readonly now: number }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now",
  );
  const [answeredAt, now] = [Date.now(), rows[0]!.now];
  // The server read its clock at some moment between the two readings here.
  const leadMs = now < askedAt ? askedAt - now : Math.min(0, answeredAt - now);
  if (Math.abs(leadMs) <= ALLOWED_MS) return null;
  const seconds = Math.round(Math.abs(leadMs) / 1000).toLocaleString("en-US");
  return `This machine's clock is ${seconds} s ${leadMs > 0 ? "ahead of" : "behind"} PostgreSQL's: synchronize the clocks of all machines (NTP).`;
}

/** Compares the clocks on a separate connection. */
export async function compareClocks(url: string): Promise<string | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await clockAdvice(client);
  } finally {
    await client.end();
  }
}
