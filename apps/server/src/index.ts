export { probeBilling } from "./billing/probe-billing.ts";
export { DataFolderError, openDataFolder } from "./data-folder/data-folder.ts";
export { DEMO_EXPERIMENT } from "./demo/demo-experiment.ts";
export { DEMO_DAYS, type DemoUser, demoDays, demoOutcomes, demoUsers } from "./demo/demo-traffic.ts";
export { LOCAL_ORG, LOCAL_OWNER, localIdentity, makeSigningKey } from "./identity/local-identity.ts";
export { probeIdentity } from "./identity/probe-identity.ts";
export { migrateStores, probeEmbeddedEngine, type Service, startService } from "./main.ts";
export { parseSettings, SETTINGS, type Settings, SettingsError, serviceUrl } from "./settings.ts";
export { VERSION } from "./version.ts";
