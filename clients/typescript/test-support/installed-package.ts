import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildPackage } from "../scripts/build.ts";

/** A project with only the packed client installed. */
export interface Project {
  readonly folder: string;
  /** The folder of the client. */
  readonly packageFolder: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

export async function installPackage(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), "assay-client-"));
  const packageFolder = join(folder, "node_modules/@assay/client");
  const built = join(folder, "built");
  await buildPackage(built);
  const npm = (cwd: string, ...args: readonly string[]) =>
    execFileSync("npm", [...args, "--silent"], { cwd, encoding: "utf8" }).trim();
  const packed = npm(built, "pack", "--pack-destination", folder);
  writeFileSync(join(folder, "package.json"), "{}");
  npm(folder, "install", "--offline", "--no-audit", "--no-fund", join(folder, packed));
  rmSync(built, { recursive: true });
  return {
    folder,
    packageFolder,
    write(name, text) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
