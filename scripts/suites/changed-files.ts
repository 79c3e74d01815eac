import { execFileSync } from "node:child_process";

/** Lists the files that differ from `ref` (by default the last commit), including untracked ones. */
export function changedFiles(ref = "HEAD"): readonly string[] {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  // Only the branch's own changes, as Vitest does for the same option: not what others added to `ref` since.
  const since = git("merge-base", ref, "HEAD")[0] ?? ref;
  return [
    ...git("diff", "--name-only", "--no-relative", since),
    ...git("ls-files", "--others", "--exclude-standard", "--full-name", ":/"),
  ];
}

/** Returns which clients' suites the changed files affect: files in a client's folder, or the files that all clients share. */
export function touchedSuites(files: readonly string[]): {
  readonly python: boolean;
  readonly java: boolean;
} {
  const touches = (...folders: readonly string[]) =>
    files.some((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
  const shared = ["vectors", "clients/scenario-server"];
  return { python: touches("clients/python", ...shared), java: touches("clients/java", ...shared) };
}
