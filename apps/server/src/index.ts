export { probeMail } from "./alerts/send-mail.ts";
export { probeBilling } from "./billing/probe-billing.ts";
export { openDataFolder } from "./data-folder/data-folder.ts";
export type { Demo } from "./demo/demo-definition.ts";
export { startDemoJudge } from "./demo/demo-judge.ts";
export {
  DEMO_DAYS,
  DEMO_LABELLED_NIGHT,
  type DemoUser,
  demoDays,
} from "./demo/demo-traffic.ts";
export { DEMOS } from "./demo/demos.ts";
export { DEMO_LABEL_NOTE, DEMO_LABELS_PER_ARM } from "./demo/label-demo.ts";
export {
  type EngineReport,
  probeControlPlane,
  probeEvents,
  probeMasterKey,
  probeQueue,
} from "./engines/probe-engines.ts";
export { probeIdentity } from "./identity/probe-identity.ts";
export { probeJudge } from "./judging/probe-judge.ts";
export {
  migrateStores,
  probeEmbeddedEngine,
  resetPasskeys,
  type Service,
  startService,
} from "./main.ts";
export { type MoveOutcome, moveFolder } from "./move/move-folder.ts";
export { VERSION } from "./version.ts";
