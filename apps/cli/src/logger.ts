import { pino } from "pino";

/** Makes the process's logger. It writes JSON lines to standard error, because standard output is for people. */
export function createLogger(level: "info" | "warn" | "error") {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ["req.headers.authorization", "req.headers.cookie", 'req.headers["x-api-key"]'],
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
