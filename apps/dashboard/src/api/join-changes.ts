/**
 * Makes a `fetch` that sends a change once while it is under way: a second press on a button, faster than the page shows the first, gets
 * the answer of the first.
 */
export function joinChanges(
  send: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const underWay = new Map<string, Promise<Response>>();
  return async (request) => {
    if (request.method === "GET") return send(request);
    const key = `${request.method} ${request.url} ${await request.clone().text()}`;
    const answer = underWay.get(key) ?? send(request);
    underWay.set(key, answer);
    try {
      return (await answer).clone();
    } finally {
      underWay.delete(key);
    }
  };
}
