import fc from "fast-check";
import { expect, test } from "vitest";
import { hidePasswords } from "./hide-passwords.ts";

test.each([
  ["postgres://assay:s3cret@db:5432/assay", "postgres://assay:***@db:5432/assay"],
  ["postgres://assay:p@ss/w:rd@db/assay", "postgres://assay:***@db/assay"],
  ["https://:s3cret@proxy.example.com", "https://:***@proxy.example.com"],
  ["https://ghp_token@example.com/path", "https://***@example.com/path"],
  ["nats://a:one@n1:4222,nats://a:two@n2:4222", "nats://a:***@n1:4222,nats://a:***@n2:4222"],
  ["http://h/v1?api_key=one&model=m&password=two#x", "http://h/v1?api_key=***&model=m&password=***#x"],
  ["postgres://h/d?user=u&password=p&sslmode=require", "postgres://h/d?user=u&password=***&sslmode=require"],
  ["http://h/#access_token=t", "http://h/#access_token=***"],
  ["nothing answers at http://u:p@h: check it", "nothing answers at http://u:***@h: check it"],
  ["https://example.com/a?page=2", "https://example.com/a?page=2"],
  ["ann@example.com", "ann@example.com"],
  ["plain text with a : and an @", "plain text with a : and an @"],
  ["", ""],
])("%s is shown as %s", (text, shown) => expect(hidePasswords(text)).toBe(shown));

test("no password remains, whatever else it is made of", () => {
  const password = fc.stringMatching(/^[a-zA-Z0-9:@/?&=#%!$]{1,20}$/).map((text) => `SECRET${text}`);
  fc.assert(
    fc.property(
      password,
      (secret) => !hidePasswords(`postgres://assay:${secret}@db/assay`).includes("SECRET"),
    ),
  );
});
