import { AssayProvider, usePrompt, useTrack, useVariables, useVariant } from "@assay/react";
import { createElement, type ReactElement, StrictMode, Suspense, useEffect } from "react";

/** What a server passes to a page, so that both render the same. */
export interface PageProps {
  readonly users: readonly (string | null)[];
  /** True when a part of the page is never ready to be shown. */
  readonly suspends?: boolean;
  readonly options: {
    readonly apiKey: string;
    readonly baseUrl: string;
    readonly bootstrap?: unknown;
    readonly flushIntervalMs?: number;
    readonly pollIntervalMs?: number;
    readonly urlOverrides?: boolean;
  };
}

/**
 * How often components rendered and mounted in this page, and how many different objects of variables they got.
 */
export const seen = { renders: 0, mounts: 0, variables: new Set<object>() };

/** An application in which users see their variants, and one variant is rendered but never shown. */
export function App({ users, suspends = false, options }: PageProps): ReactElement {
  const sections = users.map((user, index) =>
    createElement(AssayProvider, { key: index, user, options }, createElement(Greeting, { user })),
  );
  const hidden = createElement(
    Suspense,
    { fallback: "waiting" },
    createElement(Hidden),
    createElement(NeverReady),
  );
  const last = createElement(AssayProvider, { user: "hidden", options }, hidden);
  return createElement(StrictMode, null, ...sections, suspends && last);
}

function Greeting({ user }: { readonly user: string | null }): ReactElement {
  const variant = useVariant("greeting");
  const { prompt, fallback } = usePrompt("greeting", "Answer.");
  const variables = useVariables("greeting", { tone: "plain", limit: 3 });
  const track = useTrack();
  seen.renders++;
  seen.variables.add(variables);
  useEffect(() => void seen.mounts++, []);
  const text = JSON.stringify({ user, variant, prompt, fallback, ...variables });
  const onClick = () => track("business_event", { experiment_id: "greeting", business_metric: "thumbs_up" });
  return createElement("button", { type: "button", onClick }, text);
}

function Hidden(): ReactElement {
  return createElement("i", null, useVariant("hidden"));
}

/** In a page, suspends what is beside it. On a server it renders nothing. */
function NeverReady(): ReactElement | null {
  if ("window" in globalThis) throw new Promise(() => {});
  return null;
}
