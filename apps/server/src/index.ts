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
  migrateStores,
  resetPasskeys,
  type Service,
  startService,
} from "./main.ts";
export { VERSION } from "./version.ts";
