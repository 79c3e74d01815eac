import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { buildJava } from "./build-java.ts";
import { missingJavaTools } from "./missing-java-tools.ts";

/** GnuPG's sockets need a short path. */
const home = mkdtempSync(join(tmpdir(), "assay-gpg-"));
const gpg = (...args: readonly string[]) =>
  spawnSync("gpg", ["--batch", ...args], { env: { ...process.env, GNUPGHOME: home }, encoding: "utf8" });
const canSign = gpg("--version").status === 0 && missingJavaTools() === null;

afterAll(() => {
  if (canSign) spawnSync("gpgconf", ["--kill", "all"], { env: { ...process.env, GNUPGHOME: home } });
  rmSync(home, { recursive: true, force: true });
});

test.runIf(canSign)("a release has a good signature of each file that Maven Central takes", () => {
  const made = gpg(
    "--passphrase",
    "",
    "--quick-generate-key",
    "A test <test@example.invalid>",
    "ed25519",
    "sign",
    "never",
  );
  expect(made.stderr).toContain("revocation certificate stored");
  vi.stubEnv("GNUPGHOME", home);
  const folder = join(home, "dist");
  expect(buildJava(folder, "java", true)).toBe(true);
  const files = ["-javadoc.jar", "-sources.jar", ".jar", ".pom"].map(
    (ending) => `assay-client-0.1.0${ending}`,
  );
  expect(readdirSync(folder).sort()).toEqual(files.flatMap((file) => [file, `${file}.asc`]));
  for (const file of files)
    expect(gpg("--verify", join(folder, `${file}.asc`), join(folder, file)).stderr).toContain(
      "Good signature",
    );
});
