// The checks of `assay doctor`. They have their own entry, because a service does not need every dependency's libraries.
export { probeMail } from "./alerts/send-mail.ts";
export { probeBilling } from "./billing/probe-billing.ts";
export { openDataFolder } from "./data-folder/data-folder.ts";
export {
  type EngineReport,
  probeControlPlane,
  probeDataFolder,
  probeEvents,
  probeEventsFolder,
  probeMasterKey,
  probeQueue,
} from "./engines/probe-engines.ts";
export { probeIdentity } from "./identity/probe-identity.ts";
export { probeJudge } from "./judging/probe-judge.ts";
export { probeEmbeddedEngine } from "./main.ts";
export { VERSION } from "./version.ts";
