import { startNats } from "../../servers/nats.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { onCleanUp } from "./clean-up.ts";
import type { Environment } from "./program.ts";
import { type RunningService, startService } from "./service.ts";
import { sharedEngines } from "./shared-engines.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Servers that the processes of one installation share, started for a test. */
export async function startSharedServers() {
  const postgres = await startPostgres();
  onCleanUp(() => postgres.stop());
  const nats = await startNats();
  onCleanUp(() => nats.stop());
  const env = { ...(await sharedEngines(postgres.url)), ASSAY_QUEUE_URL: nats.url };
  return { postgres, nats, env };
}

/** Starts a process of an installation, which keeps nothing in its data folder. */
export const startRole = (role: "all" | "api" | "worker", env: Environment): Promise<RunningService> =>
  startService(`${temporaryFolder()}/none`, { ...env, ASSAY_ROLE: role });
