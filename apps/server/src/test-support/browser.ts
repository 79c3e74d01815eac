/** The cookies and redirects of a browser, without its pages. Follows each step by itself, so that a test can look at it. */
export interface Browser {
  /** Cookies by origin and name. */
  readonly cookies: Map<string, Map<string, string>>;
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /**
   * Follows redirects until an answer is not a redirect; returns it with all addresses on the way, including the
   * first.
   */
  open(url: string): Promise<{ readonly response: Response; readonly visited: readonly string[] }>;
}

const MOST_STEPS = 12;

/** Opens a browser without cookies. */
export function openBrowser(): Browser {
  const cookies: Browser["cookies"] = new Map();
  const browse = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { origin } = new URL(url);
    const jar = cookies.get(origin) ?? new Map<string, string>();
    cookies.set(origin, jar);
    const header = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { "user-agent": "Test browser", cookie: header, ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };
  return {
    cookies,
    fetch: browse,
    async open(url) {
      const visited = [url];
      for (let next = url; visited.length <= MOST_STEPS; ) {
        const response = await browse(next);
        const location = response.headers.get("location");
        if (location === null) return { response, visited };
        next = new URL(location, next).href;
        visited.push(next);
      }
      throw new Error(`Redirected in circles: ${visited.join("\n").slice(0, 1_000)}`);
    },
  };
}
