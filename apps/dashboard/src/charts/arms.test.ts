import { expect, test } from "vitest";
import { armColors } from "./arms.ts";

test("twenty variants have twenty colors, and keep them whatever their order", () => {
  const variants = Array.from({ length: 20 }, (_, index) => `v${index}`);
  const colors = armColors(variants, "v7");
  expect(new Set(colors.values()).size).toBe(20);
  expect(colors.get("v7")).toBe("var(--arm-control)");
  expect(armColors(["v7", ...variants.filter((key) => key !== "v7")], "v7")).toEqual(colors);
});
