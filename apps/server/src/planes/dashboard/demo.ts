import { experimentAnswer, overview as operations } from "@assay/contract";
import { loadDemo as load, removeDemo as remove } from "../../demo/demo.ts";
import { defineRoute } from "../../http/define-route.ts";

export const loadDemo = defineRoute(operations.loadDemo, async ({ caller }, deps) =>
  experimentAnswer(await load(caller, deps)),
);

export const removeDemo = defineRoute(operations.removeDemo, ({ caller }, deps) => remove(caller, deps));
