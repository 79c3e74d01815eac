import { resolve } from "node:path";

/** Half of what loading the server costs is stripping types and compiling, the same each time: Node keeps the results here. */
export const COMPILE_CACHE = resolve(import.meta.dirname, "../../.cache/node-compile");
