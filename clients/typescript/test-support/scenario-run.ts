import type { Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import type { ClientOptions } from "../src/client-options.ts";
import { CoreClient } from "../src/core-client.ts";
import type { Fetch } from "../src/transport.ts";
import { RecordedLog } from "./recorded-log.ts";
import { VirtualSchedule } from "./virtual-schedule.ts";

export const API_KEY = "svc_pk_scenario";

interface OpenRequest {
  readonly path: string;
  /** How many requests for the path came before. */
  readonly index: number;
}

/** A client of a scripted server. Only the scenario moves its clock. */
export class ScenarioRun {
  readonly client: CoreClient;
  readonly schedule = new VirtualSchedule();
  readonly log = new RecordedLog();
  readonly #sent: { readonly path: string; readonly atMs: number }[] = [];
  readonly #open = new Set<OpenRequest>();
  readonly #server: ScriptedServer;
  readonly #replies: Readonly<Record<string, readonly Reply[]>>;

  constructor(
    server: ScriptedServer,
    replies: Readonly<Record<string, readonly Reply[]>>,
    options: ClientOptions,
  ) {
    server.reset(replies);
    this.#server = server;
    this.#replies = replies;
    this.client = new CoreClient({
      apiKey: API_KEY,
      baseUrl: server.url,
      schedule: this.schedule.run,
      log: this.log,
      now: () => Date.UTC(2026, 6, 6, 12) + this.schedule.nowMs,
      fetch: this.#fetch,
      ...options,
    });
  }

  /** When each request for the path left. */
  sentAtMs(path: string): readonly number[] {
    return this.#sent.filter((request) => request.path === path).map(({ atMs }) => atMs);
  }

  /** Lets time pass until `untilMs`. */
  runUntil(untilMs: number): Promise<void> {
    return this.schedule.runUntil(untilMs, () => this.#settled());
  }

  readonly #fetch: Fetch = async (url, init) => {
    const path = new URL(url).pathname;
    const request = { path, index: this.sentAtMs(path).length };
    this.#sent.push({ path, atMs: this.schedule.nowMs });
    this.#open.add(request);
    try {
      const response = await fetch(url, init);
      const body = await response.text();
      // Read here, so that a request ends only when its whole answer has arrived.
      return Object.assign(response, { text: () => Promise.resolve(body) });
    } finally {
      this.#open.delete(request);
    }
  };

  /** Resolves once every open request hangs and every answer has been processed. */
  async #settled(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while ([...this.#open].some((request) => !this.#hangs(request)));
  }

  #hangs({ path, index }: OpenRequest): boolean {
    const reply = this.#replies[path]?.slice(0, index + 1).at(-1);
    const isSilent = reply === "hang" || (typeof reply === "object" && reply.end === "hang");
    return isSilent && this.#server.at(path).length > index;
  }
}
