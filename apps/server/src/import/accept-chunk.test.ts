import { DomainError } from "@assay/domain";
import { expect, test } from "vitest";
import { type AcceptRows, patientAccept } from "./accept-chunk.ts";

const full = new DomainError("queue-full", "The ingest queue is full.", { retryAfterSeconds: 1 });
const signal = new AbortController().signal;
const acceptAll: AcceptRows = async (rows) => ({ accepted: rows.length, refused: [] });

function chunkOf(...rows: readonly unknown[]) {
  return { body: new TextEncoder().encode(JSON.stringify(rows)), lines: Uint32Array.from(rows.keys()) };
}

test("rows and their bytes are handed on", async () => {
  const accept = patientAccept(
    async (rows, body) => {
      expect(JSON.parse(body.toString())).toEqual(rows);
      return acceptAll(rows, body);
    },
    { patienceMs: 0, retryMs: 0, signal },
  );
  expect(await accept(chunkOf({ a: "é" }, 2))).toEqual({ accepted: 2, refused: [] });
});

test("a queue that has room again after a while takes the rows", async () => {
  let refusals = 3;
  const accept = patientAccept(
    async (rows, body) => {
      if (refusals-- > 0) throw full;
      return acceptAll(rows, body);
    },
    { patienceMs: 60_000, retryMs: 1, signal },
  );
  expect(await accept(chunkOf(1))).toEqual({ accepted: 1, refused: [] });
  expect(refusals).toBe(-1);
});

test("a queue that stays full refuses these rows and, without another try, every later one", async () => {
  let tries = 0;
  const accept = patientAccept(
    async () => {
      tries += 1;
      throw full;
    },
    { patienceMs: 0, retryMs: 0, signal },
  );
  const detail = expect.stringContaining("stayed full");
  expect(await accept(chunkOf({ event_id: "e1" }, null))).toEqual({
    accepted: 0,
    refused: [
      { index: 0, event_id: "e1", detail },
      { index: 1, event_id: null, detail },
    ],
  });
  expect(await accept(chunkOf({ event_id: 5 }))).toEqual({
    accepted: 0,
    refused: [{ index: 0, event_id: null, detail }],
  });
  expect(tries).toBe(1);
});

test("it waits no longer once its signal is aborted", async () => {
  const stopped = new AbortController();
  const accept = patientAccept(
    async () => {
      stopped.abort(new Error("stopped"));
      throw full;
    },
    { patienceMs: 60_000, retryMs: 60_000, signal: stopped.signal },
  );
  await expect(accept(chunkOf(1))).rejects.toThrow("stopped");
});

test("any other error is passed on", async () => {
  const down = new DomainError("storage-unavailable", "down");
  const accept = patientAccept(() => Promise.reject(down), { patienceMs: 60_000, retryMs: 1, signal });
  await expect(accept(chunkOf(1))).rejects.toBe(down);
});
