import { expect, test } from "vitest";
import { shortenedUrl } from "./channel.ts";

test.each([
  ["https://hooks.example.com/services/T000/B000/XXXXYYYYZZZZ", "https://hooks.example.com/…ZZZZ"],
  ["https://example.com:8443/hook?token=abcdefghijkl", "https://example.com:8443/…ijkl"],
  ["https://example.com", "https://example.com"],
  ["https://example.com/?k=abcd", "https://example.com/…"],
  ["https://user:password@example.com/a", "https://example.com/…"],
])("%s is shown as %s", (url, shown) => {
  expect(shortenedUrl(url)).toBe(shown);
});
