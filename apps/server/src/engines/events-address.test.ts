import { expect, test } from "vitest";
import { eventsServer } from "./events-address.ts";

test.each([
  ["http://h:8123", { url: "http://h:8123", username: "default", password: "" }],
  ["http://u:p@h:8123/", { url: "http://h:8123", username: "u", password: "p" }],
  [
    "https://u%40x:p%2Fq@h:8443/assay",
    { url: "https://h:8443", username: "u@x", password: "p/q", database: "assay" },
  ],
  [
    "http://u:p@h:8123/?database=my%20events",
    { url: "http://h:8123", username: "u", password: "p", database: "my events" },
  ],
])("reads %s", (text, address) => {
  expect(eventsServer(text)).toEqual(address);
});
