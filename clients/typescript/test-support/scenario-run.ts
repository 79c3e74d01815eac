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
  /** Whether its answer is held back until its time. */
  isHeld: boolean;
}

/** A client of a scripted server. Only the scenario moves its clock. */
export class ScenarioRun {
  readonly client: CoreClient;
  readonly schedule: VirtualSchedule;
  readonly log = new RecordedLog();
  /** The requests so far; a path has its query. */
  readonly sent: { readonly path: string; readonly atMs: number }[] = [];
  readonly #open = new Set<OpenRequest>();
  readonly #server: ScriptedServer;
  readonly #replies: Readonly<Record<string, readonly Reply[]>>;

  constructor(
    server: ScriptedServer,
    replies: Readonly<Record<string, readonly Reply[]>>,
    options: ClientOptions,
    schedule = new VirtualSchedule(),
  ) {
    this.schedule = schedule;
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
    return this.sent.filter((request) => request.path === path).map(({ atMs }) => atMs);
  }

  /** Lets time pass until `untilMs`. */
  runUntil(untilMs: number): Promise<void> {
    return this.schedule.runUntil(untilMs, () => this.#settled());
  }

  readonly #fetch: Fetch = async (url, init) => {
    const { pathname, search } = new URL(url);
    const path = pathname + search;
    const request = { path, index: this.sentAtMs(path).length, isHeld: false };
    this.sent.push({ path, atMs: this.schedule.nowMs });
    this.#open.add(request);
    try {
      const response = await fetch(url, init);
      const body = await response.text();
      await this.#hold(request);
      // Read here, so that a request ends only when its whole answer has arrived.
      return Object.assign(response, { text: () => Promise.resolve(body) });
    } finally {
      this.#open.delete(request);
    }
  };

  /** Holds an answer back for as long as its reply says. The client may have given up by then. */
  async #hold(request: OpenRequest): Promise<void> {
    const reply = this.#reply(request);
    const takesMs = typeof reply === "object" && "takes_ms" in reply ? Number(reply.takes_ms) : 0;
    if (takesMs === 0) return;
    request.isHeld = true;
    await new Promise<void>((resolve) => this.schedule.run(takesMs, resolve));
    request.isHeld = false;
  }

  /** Resolves once every open request hangs or is held back, and every answer has been processed. */
  async #settled(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while ([...this.#open].some((request) => !this.#hangs(request)));
  }

  #reply({ path, index }: OpenRequest): Reply | undefined {
    return this.#replies[path]?.slice(0, index + 1).at(-1);
  }

  #hangs(request: OpenRequest): boolean {
    const { path, index, isHeld } = request;
    if (isHeld) return true;
    const reply = this.#reply(request);
    const isSilent = reply === "hang" || (typeof reply === "object" && reply.end === "hang");
    return isSilent && this.#server.at(path).length > index;
  }
}
