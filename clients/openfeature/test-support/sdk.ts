import type {
  EvaluationContext,
  EvaluationDetails,
  JsonValue,
  TrackingEventDetails,
} from "@openfeature/core";
import * as serverSdk from "@openfeature/server-sdk";
import * as webSdk from "@openfeature/web-sdk";
import type { AssayClient } from "../src/assay-client.ts";
import { AssayProvider } from "../src/server.ts";
import { AssayWebProvider } from "../src/web.ts";

type Details<Value extends JsonValue> = Promise<EvaluationDetails<Value>>;

/** A common interface of both SDKs: each call takes a context. */
export interface Sdk {
  /** Sets a new provider for the client. */
  setProvider(client: AssayClient): Promise<void>;
  string(flagKey: string, defaultValue: string, context: EvaluationContext): Details<string>;
  object(flagKey: string, defaultValue: JsonValue, context: EvaluationContext): Details<JsonValue>;
  boolean(flagKey: string, defaultValue: boolean, context: EvaluationContext): Details<boolean>;
  number(flagKey: string, defaultValue: number, context: EvaluationContext): Details<number>;
  track(name: string, context: EvaluationContext, details?: TrackingEventDetails): Promise<void>;
  status(): string;
  on(event: "PROVIDER_READY" | "PROVIDER_CONFIGURATION_CHANGED", handler: () => void): void;
  /** Closes the provider. */
  clear(): Promise<void>;
}

function server(): Sdk {
  const { OpenFeature, ProviderEvents } = serverSdk;
  const client = OpenFeature.getClient();
  return {
    setProvider: (assay) => OpenFeature.setProviderAndWait(new AssayProvider(assay)),
    string: (flagKey, value, context) => client.getStringDetails(flagKey, value, context),
    object: (flagKey, value, context) => client.getObjectDetails(flagKey, value, context),
    boolean: (flagKey, value, context) => client.getBooleanDetails(flagKey, value, context),
    number: (flagKey, value, context) => client.getNumberDetails(flagKey, value, context),
    track: async (name, context, details) => client.track(name, context, details),
    status: () => client.providerStatus,
    on(event, handler) {
      const isReady = event === "PROVIDER_READY";
      client.addHandler(isReady ? ProviderEvents.Ready : ProviderEvents.ConfigurationChanged, handler);
    },
    async clear() {
      OpenFeature.clearHandlers();
      await OpenFeature.clearProviders();
    },
  };
}

function web(): Sdk {
  const { OpenFeature, ProviderEvents } = webSdk;
  const client = OpenFeature.getClient();
  return {
    setProvider: (assay) => OpenFeature.setProviderAndWait(new AssayWebProvider(assay)),
    async string(flagKey, value, context) {
      await OpenFeature.setContext(context);
      return client.getStringDetails(flagKey, value);
    },
    async object(flagKey, value, context) {
      await OpenFeature.setContext(context);
      return client.getObjectDetails(flagKey, value);
    },
    async boolean(flagKey, value, context) {
      await OpenFeature.setContext(context);
      return client.getBooleanDetails(flagKey, value);
    },
    async number(flagKey, value, context) {
      await OpenFeature.setContext(context);
      return client.getNumberDetails(flagKey, value);
    },
    async track(name, context, details) {
      await OpenFeature.setContext(context);
      client.track(name, details);
    },
    status: () => client.providerStatus,
    on(event, handler) {
      const isReady = event === "PROVIDER_READY";
      client.addHandler(isReady ? ProviderEvents.Ready : ProviderEvents.ConfigurationChanged, handler);
    },
    async clear() {
      OpenFeature.clearHandlers();
      await OpenFeature.clearProviders();
    },
  };
}

/** The two SDKs, by name. */
export const sdks = [
  { name: "server", open: server },
  { name: "web", open: web },
] as const;
