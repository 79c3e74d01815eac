import { channel } from "node:diagnostics_channel";
import type { Fetch } from "../transport.ts";

/** What undici, the library behind Node's `fetch`, publishes when it sends a request. */
interface Sending {
  readonly request: { readonly path: string };
  readonly socket: { unref(): void };
}

const sending = channel("undici:client:sendHeaders");

/** Makes a request that does not keep the process alive. `fetch` itself has no option for that. */
export async function fetchInBackground(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  const { pathname, search } = new URL(url);
  const release = (message: unknown) => {
    const { request, socket } = message as Sending;
    if (request.path.endsWith(pathname + search)) socket.unref();
  };
  sending.subscribe(release);
  try {
    return await fetch(url, init);
  } finally {
    sending.unsubscribe(release);
  }
}
