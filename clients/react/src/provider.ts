import type { Client, ClientOptions, Subject } from "@assay/client";
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

/** The user, and either your own client or the options for one. */
export type AssayProviderProps = {
  /** The user. Null while unknown, which gives control behavior. */
  readonly user: string | null;
  /** The id of the conversation or run, for experiments that assign these instead of users. */
  readonly unit?: string | null | undefined;
  readonly children?: ReactNode;
} & (
  | {
      /**
       * Options of the page's client, which the provider creates in browsers only. `bootstrap` is the config with which
       * the server rendered the page.
       */
      readonly options: ClientOptions;
      readonly client?: never;
    }
  | {
      /** Your own client; you close it. */
      readonly client: Client;
      readonly options?: never;
    }
);

export interface AssayContext {
  readonly source: Source;
  /** Null while the user is unknown. */
  readonly subject: Subject | null;
}

const Context = createContext<AssayContext | null>(null);

/** Provides a user's variants to the components below it. */
export function AssayProvider({ user, unit, client, options, children }: AssayProviderProps): ReactElement {
  // The page's client is created once, even if a server that renders the layout for another page sends new options.
  const [own] = useState(() => (options ? sourceOfOptions(options) : null));
  const source = client ? sourceOfClient(client) : own;
  if (!source) throw new Error("AssayProvider needs options or a client.");
  const value = useMemo(() => {
    const subject = user == null ? null : { user, unit: unit ?? undefined };
    return { source, subject };
  }, [source, user, unit]);
  return createElement(Context.Provider, { value }, children);
}

/** Returns the value of the nearest provider. Throws without a provider. */
export function useAssayContext(): AssayContext {
  const context = useContext(Context);
  if (!context) throw new Error("Assay's hooks need an <AssayProvider> above the component.");
  return context;
}
