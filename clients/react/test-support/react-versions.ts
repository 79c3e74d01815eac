import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const OLDEST = "18.3.1";
const MODULES = resolve(import.meta.dirname, "../../../node_modules");
const FOLDER = join(MODULES, ".cache/react-18");

export interface ReactVersion {
  readonly name: string;
  /** Folder of its packages. */
  readonly modules: string;
}

/**
 * Returns the oldest React that the package supports, which npm installs on first use, and the newest. If npm cannot
 * install the old one, logs a line and leaves it out.
 */
export function reactVersions(): readonly ReactVersion[] {
  const newest = { name: "React 19", modules: MODULES };
  const oldest = { name: "React 18", modules: join(FOLDER, "node_modules") };
  if (existsSync(join(oldest.modules, "react-dom"))) return [newest, oldest];
  const packages = ["react", "react-dom"].map((name) => `${name}@${OLDEST}`);
  const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const { stderr } = spawnSync("npm", ["install", "--prefix", FOLDER, ...options, ...packages], {
    encoding: "utf8",
  });
  if (existsSync(join(oldest.modules, "react-dom"))) return [newest, oldest];
  console.error(`NOT RUN: the hooks on React 18; npm could not install react@${OLDEST}. ${stderr ?? ""}`);
  return [newest];
}
