import { createElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { App, type PageProps, seen } from "./page-app.ts";

/** What tests read and call in a page. */
export interface InPage {
  /** The texts of all components, in the order in which the page showed them; the first comes from the server. */
  readonly shown: string[];
  /** Warnings and errors of React and the browser. */
  readonly faults: string[];
  readonly seen: typeof seen;
  /** Renders the page again, with other properties. */
  show(changes: Partial<PageProps>): void;
}

declare global {
  var props: PageProps;
  var inPage: InPage;
}

const container = document.getElementById("root")!;
const shown: string[] = [];
const faults: string[] = [];
const note = () => {
  const text = [...container.querySelectorAll("button")].map(({ textContent }) => textContent).join("\n");
  if (shown.at(-1) !== text) shown.push(text);
};
note();
new MutationObserver(note).observe(container, { subtree: true, childList: true, characterData: true });
console.error = (...words: unknown[]) => void faults.push(words.join(" "));

let current = globalThis.props;
const root = hydrateRoot(container, createElement(App, current), {
  onRecoverableError: (error) => void faults.push(String(error)),
});
globalThis.inPage = {
  shown,
  faults,
  seen,
  show(changes) {
    current = { ...current, ...changes };
    root.render(createElement(App, current));
  },
};
