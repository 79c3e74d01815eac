import { SMTPServer } from "smtp-server";
import { afterEach, expect, test } from "vitest";
import { probeMail, sendMail } from "./send-mail.ts";

const MAIL = { id: "d1", to: ["ann@example.org"], subject: "s", text: "t" };
const TIMEOUT_MS = 500;
let server: SMTPServer | null = null;
afterEach(() => new Promise<void>((done) => (server === null ? done() : server.close(() => done()))));

/** Starts a mail server that knows one password; `answer` is what it says to each mail. */
async function start(
  answer: Error | null = null,
): Promise<(password: string) => { url: string; from: string }> {
  const started = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ password }, _session, done) =>
      password === "right" ? done(null, { user: "u" }) : done(new Error("Who are you?")),
    onMailFrom: (_address, _session, done) => done(answer),
    onData: (stream, _session, done) => void stream.resume().on("end", () => done()),
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  const { port } = started.server.address() as { port: number };
  return (password) => ({ url: `smtp://u:${password}@127.0.0.1:${port}`, from: "Assay <a@example.org>" });
}

test("a mail server is probed with its sign-in, and no fault tells the password", async () => {
  const settings = await start();
  expect(await probeMail(null)).toMatch(/^none/);
  expect(await probeMail(settings("right"), TIMEOUT_MS)).toBe("the server at ASSAY_SMTP_URL accepts mail");
  expect(await sendMail(MAIL, settings("right"), TIMEOUT_MS)).toMatchObject({ isDelivered: true, code: 250 });
  const probe = probeMail(settings("hunter2"), TIMEOUT_MS);
  await expect(probe).rejects.toThrow("ASSAY_SMTP_URL does not accept mail: 535 Who are you?");
  const refused = await sendMail(MAIL, settings("hunter2"), TIMEOUT_MS);
  expect(refused).toMatchObject({ isDelivered: false, code: 535 });
  expect(JSON.stringify(refused)).not.toContain("hunter2");
});

test("a refusal of the server is the answer", async () => {
  const settings = await start(Object.assign(new Error("Try later"), { responseCode: 451 }));
  const attempt = await sendMail(MAIL, settings("right"), TIMEOUT_MS);
  expect(attempt).toMatchObject({
    isDelivered: false,
    code: 451,
    answer: expect.stringContaining("Try later"),
  });
});

test("a server that is away is a fault without an answer", async () => {
  const settings = { url: "smtp://127.0.0.1:1", from: "a@example.org" };
  expect(await sendMail(MAIL, settings, TIMEOUT_MS)).toEqual({
    ...{ isDelivered: false, code: null },
    answer: expect.stringMatching(/^The mail server gave no answer \(E/),
  });
  await expect(probeMail(settings, TIMEOUT_MS)).rejects.toThrow("ASSAY_SMTP_URL");
});
