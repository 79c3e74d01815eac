import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeSentField, openApiDocument, PROBLEM_TYPE_BASE, problems } from "@assay/contract";
import { isValueField, SENT_FIELDS, typesOf } from "@assay/domain";
import { SETTINGS } from "@assay/server/settings";
import wabt from "wabt";
import { NIGHT_SUITES } from "./suites/night-suites.ts";

const root = dirname(import.meta.dirname);
const KERNEL = "packages/stats/src/permutation/permutation-kernel";
const { parseWat } = await wabt();

interface Document {
  readonly path: string;
  readonly content: string;
}

/** The documents generated from code, and the kernel's generated code. Never edit them by hand. */
function documents(): readonly Document[] {
  return [
    { path: "docs/openapi.json", content: `${JSON.stringify(openApiDocument(), null, 2)}\n` },
    { path: "docs/problems.md", content: problemsPage() },
    { path: "docs/settings.md", content: settingsPage() },
    { path: "docs/import.md", content: withTable("docs/import.md", "fields", eventFields()) },
    { path: "docs/testing.md", content: withTable("docs/testing.md", "night", nightSuites()) },
    { path: `${KERNEL}-code.ts`, content: kernelCode() },
  ];
}

function kernelCode(): string {
  const module = parseWat(`${KERNEL}.wat`, readFileSync(join(root, `${KERNEL}.wat`), "utf8"));
  const code = Buffer.from(module.toBinary({}).buffer).toString("base64");
  return [
    "/** `permutation-kernel.wat`, assembled by `npm run check -- --write`; base64. */",
    "export const PERMUTATION_KERNEL =",
    `  "${code}";`,
    "",
  ].join("\n");
}

function problemsPage(): string {
  const rows = Object.entries(problems).map(
    ([kind, { status, title }]) => `| \`${PROBLEM_TYPE_BASE}${kind}\` | ${status} | ${title} |`,
  );
  return [
    "# Problems",
    "",
    "Errors are `application/problem+json` (RFC 9457). The addresses of OTLP, OFREP, SCIM and Langfuse answer in the formats of these protocols.",
    "A request that the HTTP server cannot read at all, such as one with headers over 16 KiB (431), gets a short JSON with `statusCode`.",
    "These are all types:",
    "",
    "| type | status | title |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function settingsPage(): string {
  const rows = SETTINGS.map(
    ({ name, default: fallback, meaning }) => `| \`${name}\` | ${fallback} | ${meaning} |`,
  );
  return [
    "# Settings",
    "",
    "Settings are environment variables. If a value is malformed or an `ASSAY_*` name unknown, the service does not start, and prints one line that names it.",
    "",
    "| variable | default | meaning |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function eventFields(): readonly string[] {
  const rows = SENT_FIELDS.map((field) => {
    const types = isValueField(field) && field.of !== undefined ? typesOf(field).join(", ") : "all";
    const events = isValueField(field) ? types : `${types}, required`;
    return `| \`${field.sentName}\` | ${events} | ${field.kind} | ${describeSentField(field)} |`;
  });
  return ["| field | events | kind | |", "|---|---|---|---|", ...rows];
}

function nightSuites(): readonly string[] {
  const rows = NIGHT_SUITES.map(({ what, files, onPush }) => {
    const names = files.map((file) => `\`${file}\``).join(", ");
    return `| ${what} | ${names} | ${onPush} |`;
  });
  return ["| only at night | files | on every push |", "|---|---|---|", ...rows];
}

/** Returns a page with a table between its markers. */
function withTable(path: string, name: string, table: readonly string[]): string {
  const between = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*(?=\\n<!-- end of ${name} -->)`);
  return readFileSync(join(root, path), "utf8").replace(between, () => table.join("\n"));
}

/** Writes the generated documents. */
export function writeDocuments(): void {
  for (const { path, content } of documents()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Lists the generated documents that are out of date. */
export function staleDocuments(): readonly string[] {
  const read = (path: string) => {
    try {
      return readFileSync(join(root, path), "utf8");
    } catch {
      return null;
    }
  };
  return documents()
    .filter(({ path, content }) => read(path) !== content)
    .map(({ path }) => path);
}
