// `npm run simulate` runs the simulations of the statistics (options: `calibrate.ts`); `npm run simulate -- scale` runs
// the model of large installations.
import { calibrate } from "./calibrate.ts";
import { writeScale } from "./scale/write-scale.ts";

const args = process.argv.slice(2);
if (args[0] === "scale") writeScale();
else process.exitCode = await calibrate(args);
