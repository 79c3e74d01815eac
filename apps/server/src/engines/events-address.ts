/** The address of a ClickHouse server and its credentials. */
export interface EventsAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** When absent, the server's default for the user. */
  readonly database?: string;
}

/** Reads `ASSAY_EVENTS_URL`: user and password before the host, the database in the path or in `?database=`. */
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
