import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** How a program ended, and what it printed. */
export interface Ended {
  readonly exitCode: unknown;
  readonly output: string;
  readonly errors: string;
}

/**
 * The programs of a package's README, or of another page: its TypeScript blocks whose first line is a comment with a file
 * name.
 */
export class ReadmePrograms {
  readonly #programs: ReadonlyMap<string, string>;
  readonly #folder = mkdtempSync(join(tmpdir(), "assay-readme-"));

  /** The programs find packages in `modules`: by default, those of this repository. */
  constructor(
    packageFolder: string,
    modules: string = join(packageFolder, "../../node_modules"),
    page: string = join(packageFolder, "README.md"),
  ) {
    const readme = readFileSync(page, "utf8");
    const blocks = readme.matchAll(/```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)```/g);
    this.#programs = new Map([...blocks].map(([, name = "", code = ""]) => [name, code]));
    symlinkSync(modules, join(this.#folder, "node_modules"));
  }

  get names(): readonly string[] {
    return [...this.#programs.keys()].sort();
  }

  /** Writes a program, followed by `ending`, and returns its path. */
  write(name: string, ending = ""): string {
    const code = this.#programs.get(name);
    if (code === undefined) throw new Error(`The README has no program ${name}.`);
    const file = join(this.#folder, name);
    writeFileSync(file, code + ending);
    return file;
  }

  /**
   * Runs a program unchanged, followed by `ending`, as a reader would. Only the environment comes from here.
   */
  async run(name: string, environment: Readonly<Record<string, string>>, ending = ""): Promise<Ended> {
    const file = this.write(name, ending);
    const child = spawn(process.execPath, [file], { env: { ...process.env, ...environment } });
    const [output, errors, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { exitCode, output, errors };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
