import type { Browser, CDPSession } from "playwright-core";

interface Reply {
  readonly id: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

/**
 * A tab that can be in the background. Playwright's own tabs cannot, because Playwright reports every page as
 * being in front. All such tabs of a browser share one profile.
 */
export class BrowserTab {
  readonly #session: CDPSession;
  readonly #targetId: string;
  readonly #sessionId: string;
  readonly #replies = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  private constructor(session: CDPSession, targetId: string, sessionId: string) {
    this.#session = session;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
    session.on("Target.receivedMessageFromTarget", ({ sessionId: from, message }) => {
      if (from !== sessionId) return;
      const reply = JSON.parse(message) as Reply;
      this.#replies.get(reply.id)?.(reply);
    });
  }

  /** Opens a tab in front of the others. */
  static async open(browser: Browser, url: string): Promise<BrowserTab> {
    const session = await browser.newBrowserCDPSession();
    const { targetId } = await session.send("Target.createTarget", { url });
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    return new BrowserTab(session, targetId, sessionId);
  }

  /** Evaluates an expression in the page; a promise is awaited. */
  async evaluate(expression: string): Promise<unknown> {
    const reply = await this.#call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    return reply.result?.result?.value;
  }

  /** Freezes or resumes the tab, as a mobile browser does with a background tab. */
  async setLifecycle(state: "frozen" | "active"): Promise<void> {
    await this.#call("Page.setWebLifecycleState", { state });
  }

  async bringToFront(): Promise<void> {
    await this.#session.send("Target.activateTarget", { targetId: this.#targetId });
  }

  async close(): Promise<void> {
    await this.#session.send("Target.closeTarget", { targetId: this.#targetId });
    await this.#session.detach();
  }

  #call(method: string, params: object): Promise<Reply> {
    const id = ++this.#lastId;
    const message = JSON.stringify({ id, method, params });
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#replies.set(id, resolve);
    return this.#session
      .send("Target.sendMessageToTarget", { sessionId: this.#sessionId, message })
      .then(() => promise);
  }
}
