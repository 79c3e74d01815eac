import { existsSync } from "node:fs";

const USUAL_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Returns the Chromium that CHROMIUM names, or one in a usual place. If there is none, logs a line and
 * returns null.
 */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM;
  const found = (named === undefined ? USUAL_PLACES : [named]).find((path) => existsSync(path));
  if (found === undefined)
    console.error("NOT RUN: the client in a browser. Set CHROMIUM to a Chromium to run it.");
  return found ?? null;
}
