import { execFileSync } from "node:child_process";

/** Lists the files that differ from `ref` (by default from the last commit), those that git does not know yet among them. */
export function changedFiles(ref = "HEAD"): readonly string[] {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  // What the branch changed, as Vitest reads the same option: not what others did to `ref` meanwhile.
  const since = git("merge-base", ref, "HEAD")[0] ?? ref;
  return [
    ...git("diff", "--name-only", "--no-relative", since),
    ...git("ls-files", "--others", "--exclude-standard", "--full-name", ":/"),
  ];
}

/** Says which clients' suites changed files touch: their own folder, or the rules that all clients share. */
export function touchedSuites(files: readonly string[]): {
  readonly python: boolean;
  readonly java: boolean;
} {
  const touches = (...folders: readonly string[]) =>
    files.some((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
  const shared = ["vectors", "clients/scenario-server"];
  return { python: touches("clients/python", ...shared), java: touches("clients/java", ...shared) };
}
