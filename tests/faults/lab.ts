import { type AssignableExperiment, compileBuckets, type WireBuckets } from "@assay/bucketing";
import { Webhook } from "standardwebhooks";
import { parseSettings } from "../../apps/server/src/settings.ts";
import {
  type Answer,
  openTestService,
  type TestService,
} from "../../apps/server/src/test-support/test-service.ts";
import type { Row } from "./traffic.ts";

const HOUR_MS = 3_600_000;
/** The day that is analyzed. */
export const DAY = "2026-11-17";
const MIDNIGHT = Date.parse(`${DAY}T00:00:00Z`);
/** An instant of the day that is analyzed; epoch milliseconds. */
export const at = (hour: number): number => MIDNIGHT + hour * HOUR_MS;

/** How rows reach the service. */
export interface Sender {
  readonly scope: "publishable" | "secret";
  /** A client library, as its User-Agent names it. */
  readonly client?: string;
  /** A key from before the last rotation. */
  readonly key?: string;
}

interface Ack {
  readonly accepted: number;
  readonly rejected: readonly { readonly index: number; readonly detail: string }[];
}
interface ImportAnswer {
  readonly events: number;
  readonly errors: readonly { readonly line: number; readonly detail: string }[];
}

/** The one service of the suite, on a clock that the suite moves. */
export interface Lab {
  /** Moves the service's clock on to an instant. */
  readonly moveTo: (instant: number) => void;
  readonly call: TestService["call"];
  /** Makes a new key of a scope; the one before stops working. */
  readonly rotate: (scope: Sender["scope"]) => Promise<{ readonly before: string }>;
  readonly keyOf: (scope: Sender["scope"]) => string;
  /** Posts events; returns the sentences of refused rows. */
  readonly post: (rows: readonly Row[], sender: Sender) => Promise<readonly string[]>;
  /** Imports a file; returns the sentences of refused rows with their lines. */
  readonly importFile: (file: string | Uint8Array, mediaType: string) => Promise<readonly string[]>;
  /** Sends an outcome by the signed webhook. */
  readonly sign: (row: Row) => Promise<void>;
  /** The part of the config that a client library assigns by. */
  readonly configOf: (id: string) => Promise<AssignableExperiment>;
  readonly stop: () => Promise<void>;
}

/** Opens the service early on the day that is analyzed. */
export async function openLab(): Promise<Lab> {
  let offset = at(6) - Date.now();
  const clock = { now: () => Date.now() + offset };
  const api = await openTestService(
    {
      // The suite runs its nights itself.
      nightlyAtMinutes: 23 * 60 + 59,
      rateLimits: { ...parseSettings({}).rateLimits, importPerMinute: 1_000, analysesPerMinute: 1_000 },
    },
    clock,
  );
  const keys = { publishable: await api.newKey("publishable"), secret: await api.newKey("secret") };
  const { body: webhook } = await api.call<{ secret: string }>("POST", "/v1/webhook-secrets");
  return {
    moveTo: (instant) => {
      offset = Math.max(offset, instant - Date.now());
    },
    call: api.call,
    keyOf: (scope) => keys[scope],
    rotate: async (scope) => {
      const before = keys[scope];
      keys[scope] = await api.newKey(scope);
      return { before };
    },
    async post(rows, { scope, client, key = keys[scope] }) {
      const refused: string[] = [];
      for (let start = 0; start < rows.length; start += 1_000) {
        const body = { events: rows.slice(start, start + 1_000) };
        const headers: Record<string, string> = client === undefined ? {} : { "user-agent": client };
        const answer = await api.call<Ack>("POST", "/v1/events", { key, headers, body });
        refused.push(...ok(answer).rejected.map(({ detail }) => detail));
      }
      return refused;
    },
    async importFile(body, mediaType) {
      const headers = { "content-type": mediaType };
      const answer = await api.call<ImportAnswer>("POST", "/v1/events/import", {
        ...{ key: keys.secret, headers, body },
      });
      return ok(answer).errors.map(({ line, detail }) => `line ${line}: ${detail}`);
    },
    async sign(row) {
      const body = JSON.stringify(row);
      // Signatures are compared with the time of the machine.
      const signedAt = new Date();
      const id = String(row.event_id);
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(signedAt.getTime() / 1000)),
        "webhook-signature": new Webhook(webhook.secret).sign(id, signedAt, body),
      };
      ok(await api.call("POST", "/v1/business-events", { key: "", headers, body }));
    },
    async configOf(id) {
      type Config = { experiments: readonly WireConfig[] };
      const answer = await api.call<Config>("GET", `/v1/config?experiments=${id}`, { key: keys.secret });
      const [entry] = ok(answer).experiments;
      if (entry === undefined) throw new Error(`The config lacks ${id}.`);
      return {
        ...{ id, salt: entry.salt, bucketCount: entry.bucket_count, status: entry.status },
        buckets: compileBuckets(entry.buckets),
        variants: entry.variants,
      };
    },
    stop: () => api.stop(),
  };
}

interface WireConfig {
  readonly salt: string;
  readonly bucket_count: number;
  readonly status: string;
  readonly buckets: WireBuckets;
  readonly variants: readonly { readonly key: string; readonly enabled: boolean }[];
}

/** The body of an answer that must be good. */
export function ok<T>({ status, body }: Answer<T>): T {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}
