import { CoreClient } from "./core-client.ts";

/** A `CoreClient` that also observes model calls. */
export class Client extends CoreClient {}
