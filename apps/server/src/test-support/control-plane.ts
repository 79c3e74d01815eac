import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ControlPlane } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import { openPostgresControlPlane } from "@assay/storage/postgres";
import type { ControlEngine } from "./control-engines.ts";

interface TestControlPlane {
  readonly control: ControlPlane;
  stop(): Promise<void>;
}

/** Opens an empty control plane on the engine; `stop` removes its data. */
export async function openTestControlPlane(engine: ControlEngine): Promise<TestControlPlane> {
  const { databaseUrl, drop } = await engine.open();
  const dir = mkdtempSync(join(tmpdir(), "assay-control-"));
  const control = openControlPlane(databaseUrl, dir);
  await control.migrate();
  return {
    control,
    async stop() {
      await control.close();
      await drop();
      rmSync(dir, { recursive: true });
    },
  };
}

/** Opens the control plane at the address, or the one in the folder when there is none. */
export function openControlPlane(databaseUrl: string | null, dir: string): ControlPlane {
  return databaseUrl === null
    ? openSqliteControlPlane({ file: join(dir, "control.sqlite"), newId: randomUUID })
    : openPostgresControlPlane({ url: databaseUrl, newId: randomUUID });
}
