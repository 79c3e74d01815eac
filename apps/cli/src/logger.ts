import { pino } from "pino";

/** Makes the process's logger: JSON lines on standard error, so that standard output stays for people. */
export function createLogger(level: "info" | "warn") {
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
