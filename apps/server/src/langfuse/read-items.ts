import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import {
  ItemFault,
  type ItemSource,
  isRecord,
  type JsonLimits,
  MOST_ROWS,
  type ReadItem,
} from "@assay/domain";
import { parseJson } from "../http/raw-request.ts";
import { unreadable } from "../http/validate.ts";
import { collectFacts } from "../otlp/accept-traces.ts";
import { scopeOf } from "../otlp/otlp-batch.ts";
import type { Traces } from "../otlp/traces.ts";

/** Limits for a whole body. Long conversations repeat their messages in every call. */
const LIMITS: JsonLimits = { depth: 100, containers: 100_000, values: 200_000 };

/** Parses the JSON of a request. Throws `invalid-body`. */
export function parseItems(body: Buffer): unknown {
  return parseJson(body, LIMITS);
}

/** Throws `invalid-body` for more items than a request may have. */
export function rejectManyItems(items: readonly unknown[]): void {
  if (items.length > MOST_ROWS)
    throw unreadable(
      `The body has more than ${MOST_ROWS.toLocaleString("en-US")} items: send fewer at a time.`,
    );
}

/** The name and version of an SDK as its headers say them: those of Python 2 have underscores. */
export function itemSource(headers: IncomingHttpHeaders, receivedAt: number): ItemSource {
  const header = (name: string) =>
    String(headers[`x-langfuse-sdk-${name}`] ?? headers[`x_langfuse_sdk_${name}`] ?? "");
  const name = header("name");
  const scope = scopeOf(name.startsWith("langfuse") ? name : `langfuse ${name}`.trimEnd(), header("version"));
  return { scope, receivedAt, digestOf: (text) => hash("sha256", text, "hex") };
}

/** The facts of items, and for each item its fault, or null. */
export interface ReadItems {
  readonly traces: Traces;
  readonly faults: readonly (string | null)[];
}

/** Reads items, each by itself. */
export async function readItems(
  items: readonly unknown[],
  read: (item: unknown) => ReadItem | null,
): Promise<ReadItems> {
  const faults: (string | null)[] = [];
  const traces = await collectFacts(
    (function* () {
      for (const item of items) {
        const [done, fault] = tryRead(item, read);
        faults.push(fault);
        if (done !== null) yield done;
      }
    })(),
  );
  return { traces, faults };
}

function tryRead(
  item: unknown,
  read: (item: unknown) => ReadItem | null,
): readonly [ReadItem | null, string | null] {
  try {
    return [read(item), null];
  } catch (error) {
    if (error instanceof ItemFault) return [null, error.message];
    throw error;
  }
}

/** The id of an item, for the answer. */
export function idOf(item: unknown): string {
  return isRecord(item) && typeof item.id === "string" ? item.id : "unknown";
}
