import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const stampFile = join(dist, ".stamp");

/** Builds the dashboard into `dist`, unless what is there was made from the same sources. Returns whether it built. */
export async function buildDashboard(): Promise<boolean> {
  const stamp = stampOfSources();
  if (readStamp() === stamp) return false;
  await asProduction(() => build({ configFile: join(root, "vite.config.ts"), logLevel: "warn" }));
  for (const path of globSync("**/*.{html,js,css,svg}", { cwd: dist })) compress(join(dist, path));
  writeFileSync(stampFile, stamp);
  return true;
}

/** A test runner calls its environment "test", and the build would take React's development half: slower, and twice as large. */
async function asProduction(work: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    await work();
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

function stampOfSources(): string {
  const hash = createHash("sha256").update(readFileSync(join(root, "../../package-lock.json")));
  const paths = globSync(
    ["src/**/*.*", "public/**/*.*", "index.html", "vite.config.ts", "scripts/build.ts"],
    // Types leave no trace in what is built.
    { cwd: root, exclude: ["**/*.d.ts"] },
  );
  for (const path of paths.sort()) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

function readStamp(): string | null {
  try {
    return readFileSync(stampFile, "utf8");
  } catch {
    return null;
  }
}

/** Once here rather than at every request. */
function compress(path: string): void {
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  );
}
