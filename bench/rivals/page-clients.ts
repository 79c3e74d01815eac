/** A library for experiments in pages, and the program that uses it to decide, as its documentation says. */
export interface PageClient {
  readonly name: string;
  /** The package of the registry; null for a part of this repository. */
  readonly packaged: string | null;
  /**
   * Exports `start`, which makes a client for the user `u` and returns the function that decides. The client already has the
   * decisions and sends nothing.
   */
  readonly source: string;
}

const ASSAY = `
  export const start = () => {
    const experiment = {
      ...{ id: "e1", name: "greeting", status: "running", salt: "s", bucket_count: 1_000 },
      ...{ buckets: [[500, 0], [1_000, 1]], variants: [{ key: "control" }, { key: "short" }] },
    };
    const client = new Client({
      ...{ apiKey: "k", baseUrl: "/", offlineStore: false, bootstrap: { config_version: 1, experiments: [experiment] } },
    });
    return () => client.assign("greeting", "u");
  };`;

/** Versions as of November 2026. */
export const PAGE_CLIENTS: readonly PageClient[] = [
  {
    name: "ours, core",
    packaged: null,
    source: `import { Client } from "./core.browser.js"; ${ASSAY}`,
  },
  {
    name: "ours, with `wrap`",
    packaged: null,
    source: `import { Client } from "./index.browser.js"; ${ASSAY}`,
  },
  {
    name: "GrowthBook",
    packaged: "@growthbook/growthbook@1.8.0",
    source: `
      import { GrowthBook } from "@growthbook/growthbook";
      export const start = () => {
        const rule = { variations: ["control", "short"], weights: [0.5, 0.5], hashAttribute: "id", coverage: 1 };
        const client = new GrowthBook({
          ...{ attributes: { id: "u" }, features: { greeting: { defaultValue: "control", rules: [rule] } } },
          trackingCallback: () => {},
        });
        return () => client.getFeatureValue("greeting", "none");
      };`,
  },
  {
    name: "LaunchDarkly",
    packaged: "launchdarkly-js-client-sdk@3.9.5",
    source: `
      import { initialize } from "launchdarkly-js-client-sdk";
      export const start = () => {
        const flags = { greeting: "short", $flagsState: { greeting: { version: 1, variation: 1 } }, $valid: true };
        const client = initialize("k", { kind: "user", key: "u" }, {
          ...{ bootstrap: flags, baseUrl: location.origin, eventsUrl: location.origin, streaming: false },
          ...{ fetchGoals: false, diagnosticOptOut: true, logger: { debug() {}, info() {}, warn() {}, error() {} } },
        });
        return () => client.variation("greeting", "none");
      };`,
  },
  {
    name: "PostHog",
    packaged: "posthog-js@1.449.2",
    source: `
      import { PostHog } from "posthog-js";
      export const start = () => {
        const client = new PostHog().init("k", {
          ...{ api_host: location.origin, bootstrap: { distinctID: "u", featureFlags: { greeting: "short" } } },
          ...{ autocapture: false, capture_pageview: false, disable_session_recording: true },
          ...{ disable_external_dependency_loading: true, advanced_disable_decide: true, persistence: "memory" },
        }, "assay");
        return () => client.getFeatureFlag("greeting");
      };`,
  },
  {
    name: "Statsig",
    packaged: "@statsig/js-client@3.33.5",
    source: `
      import { StatsigClient } from "@statsig/js-client";
      export const start = () => {
        const client = new StatsigClient("client-k", { userID: "u" }, { networkConfig: { preventAllNetworkTraffic: true } });
        const experiment = {
          ...{ name: "greeting", value: { variant: "short" }, rule_id: "r", group: "r", secondary_exposures: [] },
          ...{ is_user_in_experiment: true, is_experiment_active: true, is_device_based: false, explicit_parameters: [] },
        };
        client.dataAdapter.setData(JSON.stringify({
          ...{ feature_gates: {}, dynamic_configs: { greeting: experiment }, layer_configs: {}, sdkParams: {} },
          ...{ has_updates: true, time: 1, hash_used: "none", user: { userID: "u" } },
        }));
        client.initializeSync();
        return () => client.getExperiment("greeting").get("variant", "none");
      };`,
  },
];
