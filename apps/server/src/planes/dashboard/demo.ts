import { DEMO_NAMES, experimentAnswer, overview as operations } from "@assay/contract";
import { loadDemo as load, removeDemos } from "../../demo/demo.ts";
import { defineRoute } from "../../http/define-route.ts";

export const loadDemo = defineRoute(operations.loadDemo, async ({ body, caller }, deps) =>
  experimentAnswer(await load(body.demo ?? "answer-style", caller, deps)),
);

export const removeDemo = defineRoute(operations.removeDemo, ({ query, caller }, deps) =>
  removeDemos(query.demo === undefined ? DEMO_NAMES : [query.demo], caller, deps),
);
