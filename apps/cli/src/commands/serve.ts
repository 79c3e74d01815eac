import { type Service, startService, VERSION } from "@assay/server";
import { parseSettings, type Settings } from "@assay/server/settings";
import { collectGarbage } from "../collect-garbage.ts";
import { createLogger } from "../logger.ts";
import { readOptions } from "../options.ts";
import { listenForStop } from "../stay-up.ts";

/** Runs the service until it is asked to stop. */
export async function serve(args: readonly string[]): Promise<void> {
  readOptions(args, []);
  const settings = parseSettings(process.env);
  const stopSignal = listenForStop();
  const service = await startService(settings, createLogger("info"));
  collectGarbage();
  const stopped = stopSignal.stayUp(service);
  console.log(`Assay ${VERSION} listens on ${service.url}`);
  for (const line of addressesOf(service, settings)) console.log(line);
  console.log("Stop with Ctrl+C.");
  await stopped;
  process.exit(0);
}

function addressesOf({ url, signInUrl }: Service, { role, identity }: Settings): readonly string[] {
  if (role === "worker") return [`Readiness:  ${url}/readyz   (a worker answers only probes)`];
  const validity = identity.kind === "local" ? "   (works once, for one hour)" : "";
  return [`Dashboard:  ${signInUrl}${validity}`, `API:        ${url}/docs`];
}
