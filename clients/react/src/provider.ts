import type { Client, ClientOptions } from "@assay/client";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useState,
} from "react";
import { type Source, sourceOfClient, sourceOfOptions } from "./source.ts";

/** The user, and either a client of your own or the options of one. */
export type AssayProviderProps = {
  /** Whom the variants are for; null while nobody is known: control behavior. */
  readonly user: string | null;
  readonly children?: ReactNode;
} & (
  | {
      /** The options of the page's client, which the provider makes, in browsers only. `bootstrap` is what the server rendered with. */
      readonly options: ClientOptions;
      readonly client?: never;
    }
  | {
      /** A client of yours: it stays yours to close. */
      readonly client: Client;
      readonly options?: never;
    }
);

export interface AssayContext {
  readonly source: Source;
  readonly user: string | null;
}

const Context = createContext<AssayContext | null>(null);

/** Gives the components below it the variants of a user. */
export function AssayProvider({ user, client, options, children }: AssayProviderProps): ReactElement {
  // The page's client is made once. A server that renders the layout again, for another page, sends new options.
  const [own] = useState(() => (options ? sourceOfOptions(options) : null));
  const source = client ? sourceOfClient(client) : own;
  if (!source) throw new Error("AssayProvider needs options or a client.");
  const value = useMemo(() => ({ source, user: user ?? null }), [source, user]);
  return createElement(Context.Provider, { value }, children);
}

/** Returns what the nearest provider gives. Throws when there is none. */
export function useAssayContext(): AssayContext {
  const context = useContext(Context);
  if (!context) throw new Error("Assay's hooks need an <AssayProvider> above the component.");
  return context;
}
