// Builds the packages that applications install, each into its `dist` folder.
import { join } from "node:path";
import { buildPackage as buildOpenFeature } from "../clients/openfeature/scripts/build.ts";
import { buildPackage as buildClient } from "../clients/typescript/scripts/build.ts";

const clients = join(import.meta.dirname, "../clients");
await buildClient(join(clients, "typescript/dist"));
await buildOpenFeature(join(clients, "openfeature/dist"));
console.log("Built clients/typescript/dist and clients/openfeature/dist.");
