import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeSentField, openApiDocument, PROBLEM_TYPE_BASE, problems } from "@assay/contract";
import { isValueField, SENT_FIELDS } from "@assay/domain";
import { SETTINGS } from "@assay/server";

const root = dirname(import.meta.dirname);

interface Document {
  readonly path: string;
  readonly content: string;
}

/** The documents generated from the code. Never edit them by hand. */
function documents(): readonly Document[] {
  return [
    { path: "docs/openapi.json", content: `${JSON.stringify(openApiDocument(), null, 2)}\n` },
    { path: "docs/problems.md", content: problemsPage() },
    { path: "docs/settings.md", content: settingsPage() },
    { path: "docs/import.md", content: withEventFields(readFileSync(join(root, "docs/import.md"), "utf8")) },
  ];
}

function problemsPage(): string {
  const rows = Object.entries(problems).map(
    ([kind, { status, title }]) => `| \`${PROBLEM_TYPE_BASE}${kind}\` | ${status} | ${title} |`,
  );
  return [
    "# Problems",
    "",
    "Every error is `application/problem+json` (RFC 9457). The closed list of types:",
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
    "Environment variables. A malformed value or an unknown `ASSAY_*` name stops start-up with one line that names it.",
    "",
    "| variable | default | meaning |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Writes the list of an event's fields between its markers. */
function withEventFields(page: string): string {
  const rows = SENT_FIELDS.map((field) => {
    const events = isValueField(field) ? (field.of ?? "all") : "all, required";
    return `| \`${field.sentName}\` | ${events} | ${field.kind} | ${describeSentField(field)} |`;
  });
  const list = ["| field | events | kind | |", "|---|---|---|---|", ...rows].join("\n");
  return page.replace(/(?<=<!-- fields -->\n)[\s\S]*(?=\n<!-- end of fields -->)/, () => list);
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
