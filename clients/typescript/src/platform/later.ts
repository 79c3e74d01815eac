// What a page loads besides its start: one file, since both parts are needed at the same time.
export { openIndexedDb } from "../offline/indexeddb-store.ts";
export { leaverOf } from "./leave-page.ts";
