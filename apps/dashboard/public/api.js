/** What went wrong with a request, in words that can be shown (RFC 9457, or the lost connection). */
export class Problem extends Error {
  /** @param {{ kind: string, title: string, detail: string, status: number, instance?: string }} facts */
  constructor({ kind, title, detail, status, instance = "" }) {
    super(detail);
    this.kind = kind;
    this.title = title;
    this.detail = detail;
    this.status = status;
    this.instance = instance;
  }
}

/**
 * Calls the service with the session cookie. A 401 leads to the sign-in page, except for the sign-in itself.
 * @param {"GET" | "POST" | "PUT" | "DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} the JSON answer, or null when there is none
 * @throws {Problem}
 */
export async function request(method, path, body) {
  const response = await send(method, path, body);
  if (response.ok) return readJson(response);
  if (response.status === 401 && path !== "/auth/sign-in") location.replace("/sign-in");
  throw await toProblem(response);
}

async function send(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  try {
    return await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Problem({
      kind: "connection-lost",
      title: "The connection to Assay is lost",
      detail: "The service did not answer. Check that it is running and that you are online.",
      status: 0,
    });
  }
}

async function readJson(response) {
  const text = await response.text();
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem({
      kind: "unreadable",
      title: "The answer could not be read",
      detail: "The service answered with something that is not JSON. A proxy may stand in between.",
      status: response.status,
    });
  }
}

async function toProblem(response) {
  const body = await response.json().catch(() => ({}));
  const wait = Number(response.headers.get("retry-after"));
  const detail = body.detail ?? "The service gave no further explanation.";
  return new Problem({
    kind: String(body.type ?? "")
      .split("/")
      .at(-1),
    title: body.title ?? `The service answered ${response.status}`,
    detail: wait > 0 ? `${detail} It asks to wait ${waitInWords(wait)}.` : detail,
    status: response.status,
    instance: body.instance,
  });
}

function waitInWords(seconds) {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
