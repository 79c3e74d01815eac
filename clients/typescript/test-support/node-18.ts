import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const VERSION = "18.20.8";
const FOLDER = resolve(import.meta.dirname, "../../../node_modules/.cache/node-18");

/**
 * Returns the oldest Node that the client supports; npm installs it at the first use. If npm has none, logs a
 * line and returns null.
 */
export function findNode18(): string | null {
  const platform = process.platform === "win32" ? "win" : process.platform;
  // For this platform, the plain package name belongs to someone else.
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const name = `${prefix}-${platform}-${process.arch}`;
  const binary = join(FOLDER, "node_modules", name, platform === "win" ? "bin/node.exe" : "bin/node");
  if (existsSync(binary)) return binary;
  const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const { stderr } = spawnSync("npm", ["install", "--prefix", FOLDER, ...options, `${name}@${VERSION}`], {
    encoding: "utf8",
  });
  if (existsSync(binary)) return binary;
  console.error(`NOT RUN: the client on Node 18; npm could not install ${name}@${VERSION}. ${stderr ?? ""}`);
  return null;
}
