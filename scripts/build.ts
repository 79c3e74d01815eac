// Builds the dashboard, the packages that applications install (each in its `dist` folder), and the bill of materials.
// `npm run build -- release` also packs the packages for their registries; `-- release sign` also signs what Maven Central requires.
import { join } from "node:path";
import { writeApiTypes } from "../apps/dashboard/scripts/api-types.ts";
import { buildDashboard } from "../apps/dashboard/scripts/build.ts";
import { buildPackage as buildOpenFeature } from "../clients/openfeature/scripts/build.ts";
import { buildPackage as buildReact } from "../clients/react/scripts/build.ts";
import { buildPackage as buildClient } from "../clients/typescript/scripts/build.ts";
import { buildJava } from "./build-java.ts";
import { buildPython } from "./build-python.ts";
import { buildSbom } from "./build-sbom.ts";
import { packRelease } from "./pack-release.ts";

const isRelease = process.argv[2] === "release";
const isSigned = isRelease && process.argv[3] === "sign";

await writeApiTypes();
await buildDashboard();
console.log("Built apps/dashboard/dist.");

const clients = join(import.meta.dirname, "../clients");
await buildClient(join(clients, "typescript/dist"));
await buildOpenFeature(join(clients, "openfeature/dist"));
await buildReact(join(clients, "react/dist"));
console.log("Built clients/typescript/dist, clients/openfeature/dist and clients/react/dist.");

buildSbom(join(clients, "../dist/assay.cdx.json"));
console.log("Built dist/assay.cdx.json, the software bill of materials.");

// These builds need toolchains or a network that the machine may lack. The other builds run regardless.
let isIncomplete = false;
for (const { name, build } of [
  { name: "clients/python", build: buildPython },
  { name: "clients/java", build: (folder: string) => buildJava(folder, "java", isSigned) },
  // The frameworks package needs a download of 60 MB.
  ...(isRelease
    ? [
        {
          name: "clients/java-frameworks",
          build: (folder: string) => buildJava(folder, "java-frameworks", isSigned),
        },
      ]
    : []),
]) {
  try {
    if (await build(join(clients, "..", name, "dist"))) console.log(`Built ${name}/dist.`);
    else isIncomplete = true;
  } catch (error) {
    console.error(`NOT BUILT: ${name}. ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
    isIncomplete = true;
  }
}

if (isRelease) {
  // Leftovers of an earlier build must not be released.
  if (isIncomplete) throw new Error("NOT PACKED: a release needs all packages.");
  console.log(`Packed into dist/release: ${packRelease(join(clients, "../dist/release")).join(", ")}.`);
}
