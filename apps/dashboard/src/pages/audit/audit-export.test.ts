import { describe, expect, test } from "vitest";
import { toAuditCsv } from "./audit-export.ts";
import type { AuditEntry } from "./queries.ts";

const entry: AuditEntry = {
  id: "0198",
  at: "2026-11-22T02:00:00.000Z",
  actor: { id: "u1", name: "Ann", email: "ann@example.com" },
  action: "key.rotate",
  target_type: "key",
  target_id: "secret",
  summary: "Made a new secret key.",
  diff: null,
};
const HEAD =
  '"id","at","actor_id","actor_name","actor_email","action","target_type","target_id","summary","diff"\r\n';

describe("toAuditCsv", () => {
  test("writes a row per entry under a header", () => {
    expect(toAuditCsv([entry])).toBe(
      `${HEAD}"0198","2026-11-22T02:00:00.000Z","u1","Ann","ann@example.com","key.rotate","key","secret","Made a new secret key.",""\r\n`,
    );
  });

  test.each([
    ["a comma, a quote and a line break", 'Said "hi", then\nleft', '"Said ""hi"", then\nleft"'],
    ["what a spreadsheet would run", '=HYPERLINK("http://evil")', `"'=HYPERLINK(""http://evil"")"`],
    ["a minus in front", "-1", `"'-1"`],
  ])("keeps %s as text", (_name, summary, cell) => {
    expect(toAuditCsv([{ ...entry, summary }])).toContain(`,"secret",${cell},`);
  });

  test("writes the diff as JSON", () => {
    expect(toAuditCsv([{ ...entry, diff: { role: { from: "member", to: "admin" } } }])).toContain(
      '"{""role"":{""from"":""member"",""to"":""admin""}}"\r\n',
    );
  });
});
