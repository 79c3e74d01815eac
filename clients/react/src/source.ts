import { type Assignment, Client, type ClientOptions, type Subject } from "@assay/client";
import { findAssignmentIn } from "@assay/client/rendering";

/** The source of variants for the hooks below a provider. */
export interface Source {
  /** Null on a server, which creates no client to render a page. */
  readonly client: Client | null;
  /** Finds a subject's variant in the current config. Records no exposure. */
  find(experiment: string, subject: Subject): Assignment | null;
  /** Finds the variant that the server used when it rendered the page. */
  findRendered(experiment: string, subject: Subject): Assignment | null;
  /** Calls `listener` when the config changes, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** How often a page checks whether its client has a new config. The client polls much less often. */
const WATCH_INTERVAL_MS = 1_000;

/** This page's clients, one for each key and service, for as long as the page lives. */
const pageClients = new Map<string, Client>();

/** One source per client, with one timer for all providers, so that their components change together. */
const sources = new WeakMap<Client, Source>();

/** Returns the source of a client. */
export function sourceOfClient(client: Client): Source {
  const source = sources.get(client) ?? openSource(client);
  sources.set(client, source);
  return source;
}

function openSource(client: Client): Source {
  const find = (experiment: string, subject: Subject) =>
    // Before the first config, every call would count as a user without a variant.
    client.configSnapshot() === null ? null : client.findAssignment(experiment, subject);
  return { client, find, findRendered: find, subscribe: watchConfig(client) };
}

/**
 * Creates the source of the page's own client, which starts with `options.bootstrap`. A server needs only the bootstrap
 * to render a page, so it creates no client. Throws without a publishable key, in browsers and on servers.
 */
export function sourceOfOptions(options: ClientOptions): Source {
  checkKey(options);
  const findRendered = (experiment: string, subject: Subject) =>
    findAssignmentIn(options.bootstrap, experiment, subject);
  if (!("window" in globalThis))
    return { client: null, find: findRendered, findRendered, subscribe: () => () => {} };
  return { ...sourceOfClient(pageClient(options)), findRendered };
}

function checkKey({ apiKey, offline }: ClientOptions): void {
  if (offline !== true && (!apiKey || apiKey.startsWith("svc_sk_")))
    throw new Error(
      "AssayProvider: the page gets these options, so options.apiKey must be the publishable key (svc_pk_…).",
    );
}

function pageClient(options: ClientOptions): Client {
  const name = `${options.apiKey} ${options.baseUrl}`;
  const client = pageClients.get(name) ?? new Client(options);
  pageClients.set(name, client);
  return client;
}

/** Creates the `subscribe` function of a client. */
function watchConfig(client: Client): Source["subscribe"] {
  const listeners = new Set<() => void>();
  let known = client.configSnapshot();
  let timer: ReturnType<typeof setInterval> | undefined;
  const check = () => {
    const config = client.configSnapshot();
    if (config === known) return;
    known = config;
    for (const listener of [...listeners]) listener();
  };
  return (listener) => {
    listeners.add(listener);
    if (listeners.size === 1) {
      timer = setInterval(check, WATCH_INTERVAL_MS);
      if (known === null) void client.ready().then(check);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) clearInterval(timer);
    };
  };
}
