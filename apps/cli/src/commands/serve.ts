import { startService, VERSION } from "@assay/server";
import { parseSettings } from "@assay/server/settings";
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
  console.log(`Dashboard:  ${service.signInUrl}   (works once, for one hour)`);
  console.log(`API:        ${service.url}/docs`);
  console.log("Stop with Ctrl+C.");
  await stopped;
  process.exit(0);
}
