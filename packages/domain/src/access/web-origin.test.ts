import { expect, test } from "vitest";
import { isWebOrigin } from "./web-origin.ts";

test.each([
  "https://app.example.com",
  "http://localhost:3000",
  "https://xn--bcher-kva.example",
  "http://[::1]:8080",
  // Pages of an app in a web view.
  "capacitor://localhost",
])("%s is an origin", (text) => expect(isWebOrigin(text)).toBe(true));

test.each([
  "",
  "*",
  "null",
  "app.example.com",
  "https://app.example.com/",
  "https://app.example.com/path",
  "https://App.example.com",
  "HTTPS://app.example.com",
  "https://app.example.com:443",
  "https://user@app.example.com",
  "https://*.example.com/",
  "https://*.example.com",
  "https://bücher.example",
  "https://",
  "file:///",
  "mailto:a@b.c",
  " https://app.example.com",
])("%j is not an origin", (text) => expect(isWebOrigin(text)).toBe(false));
