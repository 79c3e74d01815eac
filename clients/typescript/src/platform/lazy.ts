// What a page loads after its start. A single file, because both parts are needed at the same time.
export { openIndexedDb } from "../offline/indexeddb-store.ts";
export { saveConfig } from "./config-storage.ts";
export { leaverOf } from "./leave-page.ts";
