// Serves as `assay serve` does, with everything in its log, for the test of what must not be there.
import { startService } from "@assay/server";
import { parseSettings } from "@assay/server/settings";
import { pino } from "pino";

const log = pino({ level: "trace" }, pino.destination({ dest: 2, sync: true }));
const service = await startService(parseSettings(process.env), log);
process.once("SIGTERM", () => void service.close().then(() => process.exit(0)));
console.log(`Assay listens on ${service.url}`);
