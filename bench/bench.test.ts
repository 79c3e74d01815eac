import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findChromium } from "../clients/typescript/test-support/chromium.ts";
import { findPythons } from "../scripts/find-pythons.ts";
import { missingJavaTools } from "../scripts/missing-java-tools.ts";
import { BUILT_CLI } from "../tests/build-programs.ts";
import { findClickHouse } from "../tests/servers/clickhouse.ts";
import { findNats } from "../tests/servers/nats.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const hasClickHouse = findClickHouse() !== null;
const hasPostgres = process.env.ASSAY_TEST_DATABASE_URL !== undefined;

interface Part {
  readonly part: string;
  /**
   * The heading of a column with its ratios; for `append`, with its costs. A ratio of durations is preferred, because
   * at tiny sizes the clock of processor time may not tick.
   */
  readonly column: string;
  /** Whether the part can run on this machine. */
  readonly runs?: boolean;
}

const PARTS: readonly Part[] = [
  { part: "assign", column: "throughput, service ÷ reference" },
  { part: "config", column: "throughput, service ÷ reference" },
  { part: "shared", column: "throughput, service ÷ reference", runs: hasPostgres },
  { part: "events", column: "throughput, service ÷ reference", runs: hasClickHouse },
  { part: "otlp", column: "accepted, OTLP ÷ events", runs: hasClickHouse },
  { part: "queue", column: "÷ bare", runs: findNats() !== null },
  { part: "import", column: "÷ csv-parse alone", runs: hasClickHouse },
  { part: "pipeline", column: "÷ engine alone" },
  { part: "append", column: "CPU µs per event: look-up" },
  { part: "guard", column: "÷ scan" },
  { part: "nightly", column: "time, night ÷ scan" },
  { part: "night-units", column: "CPU ÷ users" },
  { part: "night-conversations", column: "conversations ÷ users" },
  { part: "rivals", column: "÷ scan", runs: findPythons().some(({ minor }) => minor >= 11) },
  { part: "judging", column: "÷ bare" },
  { part: "permutation", column: "labels ÷ test" },
  { part: "hostile", column: "÷ ordinary batch, per byte" },
  { part: "idle", column: "memory ÷ bare `node:http`" },
  { part: "client", column: "÷ ours, p50" },
  { part: "wrap", column: "wrapped ÷ package alone" },
  { part: "pages", column: "first ÷ ours", runs: findChromium() !== null },
  { part: "python", column: "÷ ours, p50", runs: findPythons().some(({ minor }) => minor >= 9) },
  { part: "java", column: "÷ ours, p50", runs: missingJavaTools() === null },
  { part: "deal", column: "time, work ÷ reference" },
];

for (const { part, column, runs = true } of PARTS) {
  test.skipIf(!runs)(`part ${part} runs to its end and prints its ratios`, async () => {
    const figures = cellsBelow(column, await runPart(part));
    expect(figures.length).toBeGreaterThan(0);
    for (const figure of figures) expect(figure).toMatch(/^[\d,.]+( \([\d,.]+–[\d,.]+\))?$/);
  });
}

test("the list has all parts", async () => {
  const failed = await runPart("none").catch((error: { readonly stderr: string }) => error.stderr);
  expect(failed).toBe(
    `bench: unknown part none; the parts are ${PARTS.map(({ part }) => part).join(", ")}.\n`,
  );
});

async function runPart(part: string): Promise<string> {
  const env = { ...process.env, BENCH_TINY: "1", BENCH_CLI: BUILT_CLI };
  return (await promisify(execFile)(process.execPath, [MAIN, part], { env })).stdout;
}

/** The figures of a column, from every table that has it. */
function cellsBelow(column: string, markdown: string): readonly string[] {
  const tables = markdown.split("\n\n").filter((text) => text.startsWith("|"));
  return tables.flatMap((table) => {
    const [head = [], , ...rows] = table.trim().split("\n").map(cellsOf);
    const index = head.indexOf(column);
    return rows.flatMap((row) => (index < 0 || row[index] === "" ? [] : [row[index] ?? "nothing"]));
  });
}

function cellsOf(row: string): readonly string[] {
  return row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}
