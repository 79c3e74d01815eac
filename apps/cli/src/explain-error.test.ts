import { StartupError } from "@assay/domain";
import { expect, test } from "vitest";
import { explainError } from "./explain-error.ts";

test("a file that the user may not use is named in one line, and an unknown fault keeps its stack", () => {
  const denied = Object.assign(new Error("EPERM: operation not permitted, chmod '/data/master.key'"), {
    code: "EPERM",
    path: "/data/master.key",
  });
  expect(explainError(denied)).toBe(
    "This user may not use /data/master.key (EPERM): change its owner or mode, or run as another user.",
  );
  expect(explainError(new StartupError("one line"))).toBe("one line");
  expect(explainError(new TypeError("a bug"))).toContain("explain-error.test.ts");
});
