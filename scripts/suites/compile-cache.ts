import { resolve } from "node:path";

/** Where Node caches stripped and compiled sources, which is half of the cost of loading the server. */
export const COMPILE_CACHE = resolve(import.meta.dirname, "../../.cache/node-compile");
