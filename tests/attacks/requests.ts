import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import type { Attack, AttackRequest } from "./support.ts";

/** Requests to attack with, and what must come of rows. */

export const MIB = 1024 * 1024;

export type Body = NonNullable<AttackRequest["body"]>;
export const JSON_TYPE = { "content-type": "application/json" };
export const gzip = (text: string | Buffer) => new Uint8Array(gzipSync(text, { level: 9 }));
/** One file that decompresses to the text, so many times over: compressing all of a large one takes seconds. */
export const gzipParts = (times: number, text: Buffer) => {
  const part = gzip(text);
  return new Uint8Array(Buffer.concat(Array.from({ length: times }, () => part)));
};

export const post =
  (path: string, as: AttackRequest["as"]) =>
  (body: Body, headers: AttackRequest["headers"] = {}): AttackRequest => ({
    method: "POST",
    path,
    as,
    body,
    headers: { ...JSON_TYPE, ...headers },
  });
export const events = post("/v1/events", "publishable");
export const assign = post("/v1/assign", "publishable");
export const create = post("/v1/experiments", "owner");
export const contact = post("/v1/contact", "nobody");
export const imported = (type: string, body: Body, headers = {}) =>
  post("/v1/events/import", "secret")(body, { "content-type": type, ...headers });

export const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
export const list = (item: string, times: number) => `[${`${item},`.repeat(times)}0]`;

let ids = 0;
/** An event that is good, but for the change. */
export const event = (change: Readonly<Record<string, unknown>> = {}) => ({
  event_id: `attack-${ids++}`,
  type: "exposure",
  experiment_id: "target",
  user_id: "u",
  variant: "base",
  timestamp: Date.now(),
  ...change,
});
export const batch = (...rows: readonly unknown[]) => JSON.stringify({ events: rows });

export const rejects = (detail: string | RegExp): Pick<Attack, "status" | "holds"> => ({
  status: 202,
  holds: ({ json }) =>
    expect(json).toMatchObject({ accepted: 0, rejected: [{ detail: expect.stringMatching(detail) }] }),
});
export const accepts: Pick<Attack, "status" | "holds"> = {
  status: 202,
  holds: ({ json }) => expect(json).toMatchObject({ accepted: 1, rejected: [] }),
};
