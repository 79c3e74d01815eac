/** Where a ClickHouse is, and how to enter. */
export interface EventsAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The server's choice for the user when absent. */
  readonly database?: string;
}

/** Reads `ASSAY_EVENTS_URL`: the database is named by the path or by `?database=`, user and password before the host. */
export function eventsServer(text: string): EventsAddress {
  const url = new URL(text);
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const database = url.searchParams.get("database") ?? decodeURIComponent(url.pathname.slice(1));
  return {
    url: url.origin,
    username: username || "default",
    password,
    ...(database !== "" && { database }),
  };
}
