/**
 * Makes a `fetch` that sends a change only once while it is under way. A second press of a button, before the page
 * shows the effect of the first, gets the first one's answer.
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
