import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricBody, type WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import {
  type ChatRequest,
  judgedData,
  judgement,
} from "../../../apps/server/src/test-support/judge-completion.ts";
import { type JudgeServer, openJudgeServer } from "../../../apps/server/src/test-support/judge-server.ts";
import { until } from "../support/until.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene, daysAgo, runNight, SCENE_METRICS, sendUsers } from "./support/scenes.ts";

const PATIENCE = { timeout: 80_000 };
/** Enough for 50 labels of each variant. */
const USERS = 60;
const REFUSED = "Answer 7, call 0";
const RUBRIC = "Pass an answer that helps the user. Fail one that does not.";

const HELPFUL = metricBody("helpful", {
  kind: "ratio",
  category: "quality",
  role: "secondary",
  judge: { rubric: RUBRIC, scale: "pass_fail", sample_rate: 1 },
});

const TONE = metricBody("tone", {
  category: "quality",
  role: "secondary",
  judge: { rubric: "How friendly is the answer?", scale: "0-1", sample_rate: 0.3 },
});

/** The judge fails every fourth call, so that users differ; people differ from it in some first calls. */
const judgePasses = (answer: string) => {
  const [user, call] = numbersIn(answer);
  return (7 * user + call) % 4 !== 0;
};
const personPasses = (answer: string) => {
  const [user, call] = numbersIn(answer);
  return judgePasses(answer) !== (user % 7 === 0 && call === 0);
};
const numbersIn = (answer: string): [user: number, call: number] => {
  const [user = 0, call = 0] = (answer.match(/\d+/g) ?? []).map(Number);
  return [user, call];
};

const scoreType = ({ response_format: format }: ChatRequest) =>
  format?.json_schema.schema.properties.score.type;

interface Labels {
  readonly items: readonly {
    readonly event_id: string;
    readonly score: number | null;
    readonly note: string | null;
    readonly is_drawn: boolean;
  }[];
}

describe.skipIf(CHROMIUM === null)("judges and the people who check them", () => {
  let judge: JudgeServer;
  let dashboard: Dashboard;
  let experiment: WireExperiment;
  let tab: Tab;

  beforeAll(async () => {
    judge = await openJudgeServer();
    judge.always((request) => {
      const { answer } = judgedData(request);
      if (scoreType(request) === "number") return { content: judgement(0.5) };
      if (answer === REFUSED) return { refusal: "I would rather not." };
      return { content: judgement(judgePasses(answer) ? "pass" : "fail", `Because it says “${answer}”.`) };
    });
    dashboard = await openDashboard(undefined, { judge: judge.settings });
    const { service } = dashboard;
    experiment = await createScene(service, "judged", { metrics: [...SCENE_METRICS, HELPFUL, TONE] });
    await sendUsers(service, experiment, { day: daysAgo(1), users: USERS });
    await until(
      "calls are judged",
      async () => {
        await runNight(service, experiment, daysAgo(1));
        const { body } = await service.call<{ items: readonly { evaluations: number; backlog: number }[] }>(
          "GET",
          "/v1/judges",
        );
        return body.items.every(({ evaluations, backlog }) => evaluations > 0 && backlog === 0);
      },
      60_000,
    );
    tab = await dashboard.open();
  });
  afterAll(async () => {
    await dashboard?.close();
    await judge?.close();
  });

  const checkPath = () => `/judges/${experiment.id}/helpful`;
  const labelPath = () => `${checkPath()}/label`;
  const shownAnswer = () => tab.page.locator("[data-call] pre").last().innerText();
  const number = async () =>
    Number((await tab.page.locator("[data-call]").getAttribute("aria-label", PATIENCE))?.split(" ").at(-1));
  const labels = async (metric = "helpful") =>
    (
      await dashboard.service.call<Labels>(
        "GET",
        `/v1/experiments/${experiment.id}/labels?metric=${metric}&limit=200`,
      )
    ).body.items;
  /** Presses a key and waits for the next call. */
  const press = async (key: string) => {
    const before = await number();
    await tab.page.keyboard.press(key);
    await tab.page
      .getByRole("article", { name: `Answer number ${before + 1}`, exact: true })
      .waitFor(PATIENCE);
  };

  test("are listed with their cost, and as unchecked", async () => {
    await tab.goto("/judges");
    const card = tab.page.getByRole("article", { name: "helpful of judged" });
    await card.getByText("Nobody has checked this judge yet.").waitFor(PATIENCE);
    await card.getByText("Judging", { exact: true }).waitFor(PATIENCE);
    // A few calls are judged twice, drawn by the events' ids; it may be this one.
    await card.getByText(/[12] because the judge refused to score it/).waitFor(PATIENCE);
    await card.getByText("empty").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await card.getByRole("link", { name: "Check this judge" }).click();
    await tab.page.getByText("No labels yet.").waitFor(PATIENCE);
    await tab.page.getByText("Labels still needed: 50 for control, 50 for concise").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("that are unchecked are named by health, with a link", async () => {
    await tab.goto(`/experiments/${experiment.id}/health`);
    const card = tab.page.getByRole("article").filter({ hasText: "Agreement of judge and people" });
    await card.getByText(/helpful: nobody has labeled/).waitFor(PATIENCE);
    await card.getByRole("link", { name: "Check the judge of helpful" }).click();
    await tab.page.waitForURL(`**${checkPath()}`);
  });

  test("are checked blind: the page shows neither variant, model nor score", async () => {
    await tab.goto(labelPath());
    await tab.page.locator("[data-call]:focus").waitFor(PATIENCE);
    await tab.page.getByText(RUBRIC).waitFor(PATIENCE);
    const text = await tab.page.locator("main").innerText();
    for (const secret of ["control", "concise", "gpt-4o-mini", "Because it says"])
      expect(text).not.toContain(secret);
    expect(await tab.violations()).toEqual([]);
  });

  test("one key labels, one undoes it, and a note is kept", async () => {
    const first = await shownAnswer();
    await press("1");
    await press("s");
    const third = await shownAnswer();
    await tab.page.keyboard.press("n");
    await tab.page.keyboard.type("1 for effort, s for style?");
    await tab.page.keyboard.press("Escape");
    await press("0");
    await tab.page.keyboard.press("u");
    await tab.page.getByText(/You said\s+fail/).waitFor(PATIENCE);
    expect(await shownAnswer()).toBe(third);
    expect(await tab.page.getByLabel("Note").inputValue()).toBe("1 for effort, s for style?");
    await press("1");
    await tab.page.keyboard.press("?");
    await tab.page
      .getByRole("dialog", { name: "Keyboard shortcuts" })
      .getByText("Cannot tell")
      .waitFor(PATIENCE);
    expect(await tab.page.getByRole("dialog").count()).toBe(1);
    expect(await tab.violations()).toEqual([]);
    await tab.page.keyboard.press("Escape");
    await tab.page.getByRole("dialog").waitFor({ state: "hidden", ...PATIENCE });
    expect(await number()).toBe(4);
    await until("three labels are stored", async () => (await labels()).length === 3);
    const stored = (await labels()).map(({ score, note }) => ({ score, note }));
    expect(stored.toReversed()).toEqual([
      { score: 1, note: null },
      { score: null, note: null },
      { score: 1, note: "1 for effort, s for style?" },
    ]);
    expect(first).not.toBe(third);
  });

  test("G and S leave the queue without the label that S alone would store", async () => {
    const before = (await labels()).length;
    const other = await dashboard.open();
    await other.goto(labelPath());
    await other.page.locator("[data-call]:focus").waitFor(PATIENCE);
    await other.page.keyboard.press("g");
    await other.page.keyboard.press("s");
    await other.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor(PATIENCE);
    expect(await labels()).toHaveLength(before);
    // Outside of the desk the list is the one of every page, with the desk's keys.
    await other.goto(labelPath());
    await other.page.getByRole("link", { name: "Assay", exact: true }).focus(PATIENCE);
    await other.page.keyboard.press("?");
    const list = other.page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.getByRole("table", { name: "While the focus is on the answer to label" }).waitFor(PATIENCE);
    await list.getByRole("table", { name: "On every page" }).waitFor(PATIENCE);
    expect(await other.violations()).toEqual([]);
    await other.context.close();
  });

  test("a label that cannot be stored is kept, reported, and sent again, also after a reload", async () => {
    const before = (await labels()).length;
    await tab.page.route("**/labels", (route) => route.abort());
    await press("1");
    await press("0");
    await tab.page.getByText("2 labels not saved yet").waitFor(PATIENCE);
    await tab.page.getByText("this tab keeps them").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    expect(await labels()).toHaveLength(before);
    tab.page.on("dialog", (dialog) => dialog.accept());
    await tab.page.reload();
    await tab.page.getByText("2 labels not saved yet").waitFor(PATIENCE);
    await tab.page.unroute("**/labels");
    await tab.page.getByRole("button", { name: "Send now" }).click();
    await until("both labels are stored", async () => (await labels()).length === before + 2);
    await tab.page.getByText(/labels? not saved yet/).waitFor({ state: "hidden", ...PATIENCE });
  });

  test("a label that the service refuses is shown with the reason", async () => {
    const answer = {
      status: 400,
      contentType: "application/problem+json",
      body: '{"detail":"It is too late."}',
    };
    await tab.page.route("**/labels", (route) => route.fulfill(answer), { times: 1 });
    await press("1");
    const notice = tab.page.getByRole("alert").filter({ hasText: "1 label was refused" });
    await notice.getByText("It is too late.").waitFor(PATIENCE);
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await notice.waitFor({ state: "hidden", ...PATIENCE });
  });

  test("the queue loads more until every call is labeled, and ends with the agreement", async () => {
    await tab.goto(labelPath());
    await tab.page.locator("[data-call]:focus").waitFor(PATIENCE);
    const end = tab.page.getByRole("heading", { name: /You labeled/ });
    for (let call = 1; call <= 2 * USERS; call++) {
      const article = tab.page.getByRole("article", { name: `Answer number ${call}`, exact: true });
      await article.or(end).waitFor(PATIENCE);
      if (await end.isVisible()) break;
      const answer = await shownAnswer();
      await tab.page.keyboard.press(personPasses(answer) ? "1" : "0");
    }
    await tab.page.locator("h2:focus", { hasText: "You labeled" }).waitFor(PATIENCE);
    await tab.page.getByText(/Judge and people agree on \d+ of \d+\slabeled answers/).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    const all = await labels();
    expect(all.length).toBeGreaterThan(2 * USERS - 5);
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(all.length);
    expect(all.every(({ is_drawn }) => is_drawn)).toBe(true);
  });

  test("any number from 0 to 1 is chosen by keys and stored by Enter", async () => {
    await tab.goto(`/judges/${experiment.id}/tone/label`);
    await tab.page.locator("[data-call]:focus").waitFor(PATIENCE);
    await tab.page.keyboard.press("Enter");
    await tab.page.getByText("Choose a score first.").waitFor({ state: "attached", ...PATIENCE });
    await tab.page.keyboard.press("7");
    await tab.page.keyboard.press("ArrowRight");
    await tab.page.getByText("0.75", { exact: true }).waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    await press("Enter");
    await tab.page.getByText("not set").waitFor(PATIENCE);
    await tab.page.getByRole("slider", { name: "Score" }).press("ArrowLeft");
    await tab.page.getByText("0.45", { exact: true }).waitFor(PATIENCE);
    await press("Enter");
    await until("both are stored", async () => (await labels("tone")).length === 2);
    expect((await labels("tone")).map(({ score }) => score).toReversed()).toEqual([0.75, 0.45]);
  });

  test("the check shows agreement and disagreements, and retries failures", async () => {
    await tab.goto(checkPath());
    const { page } = tab;
    await page.getByText(/Judge and people agree on/).waitFor(PATIENCE);
    const { body } = await dashboard.service.call<{ overall: { matrix: number[][]; kappa: number } }>(
      "GET",
      `/v1/experiments/${experiment.id}/labels/agreement?metric=helpful`,
    );
    const matrix = page.getByRole("table", { name: "All variants" });
    const cells = await matrix.getByRole("cell").allInnerTexts();
    expect(cells.map((text) => Number.parseInt(text, 10)).filter(Number.isFinite)).toEqual(
      body.overall.matrix.flat(),
    );
    await page.getByText(`kappa = ${body.overall.kappa.toFixed(2)}`).waitFor(PATIENCE);
    await page
      .getByRole("row", { name: /control/ })
      .first()
      .waitFor(PATIENCE);
    const disagreements = page.getByRole("region", { name: "Disagreements" });
    await disagreements.getByText("Because it says").first().waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
    const failures = page.getByRole("region", { name: "Failed judgements" });
    await failures.getByText("The judge refused to score it", { exact: true }).first().waitFor(PATIENCE);
    judge.always({ content: judgement("fail") });
    await failures.getByRole("button", { name: "Retry failed judgements" }).click();
    await page.getByText(/(1\sjudgement|2\sjudgements) will be retried/).waitFor(PATIENCE);
    await failures.getByText("No failures.").waitFor(PATIENCE);
  });

  test("the next run corrects the judge with the labels, and the check shows both results", async () => {
    const { status, body } = await dashboard.service.call<{
      results: Record<string, { judge: { calibrated: boolean; labels_per_arm: object } | null }>;
    }>("POST", `/v1/experiments/${experiment.id}/analyze`);
    expect(status).toBe(200);
    expect(body.results["helpful::concise"]?.judge).toMatchObject({ calibrated: true });
    await tab.goto(checkPath());
    const effect = tab.page.getByRole("region", { name: "Effect on results" });
    await effect.getByRole("row", { name: /Judge alone/ }).waitFor(PATIENCE);
    await effect.getByRole("row", { name: /Corrected by labels/ }).waitFor(PATIENCE);
    await tab.page.getByText("Every variant has 50 labels or more").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("calls show their scores, and a reader can label them", async () => {
    const { page } = tab;
    await tab.goto(`/experiments/${experiment.id}/calls`);
    const rows = page.getByRole("grid", { name: "Model calls" }).locator("tbody tr");
    await rows.first().waitFor(PATIENCE);
    expect(await rows.filter({ hasText: "call 0" }).first().locator(".call-judge").innerText()).toContain(
      "pass",
    );
    await rows.filter({ hasText: "Answer 59, call 0" }).click();
    const panel = page.getByRole("dialog", { name: "Model call" });
    await panel.getByText("Because it says “Answer 59, call 0”.").waitFor(PATIENCE);
    await panel.getByText("they do not correct results").waitFor(PATIENCE);
    await page.keyboard.press("0");
    await panel.getByText("Label: fail.").waitFor(PATIENCE);
    await panel.getByRole("button", { name: /Pass/ }).click();
    await panel.getByText("Label: pass.").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("a rubric is tried on ten answers in the form, before anything is saved", async () => {
    const { page } = tab;
    await tab.goto("/experiments/new");
    await page.getByRole("button", { name: "Judge pass rate" }).click();
    await page.getByRole("textbox", { name: /^Rubric/ }).fill("Pass an answer that is short.");
    await page.getByRole("button", { name: "Try this rubric on 10 answers" }).click();
    await page.getByText(/scored 10\sanswers of judged/).waitFor(PATIENCE);
    const scores = page.getByRole("region", { name: "Scores by this rubric" });
    expect(await scores.getByRole("row").count()).toBe(11);
    expect(await scores.innerText()).toMatch(/Answer \d+, call \d/);
    await page.getByRole("textbox", { name: /^Rubric/ }).fill("Pass an answer that is kind.");
    await page.getByText("The rubric has been edited since.").waitFor(PATIENCE);
    expect(await tab.violations()).toEqual([]);
  });

  test("fit a narrow screen in the dark", async () => {
    const narrow = await dashboard.open({ width: 390, scheme: "dark" });
    for (const path of ["/judges", checkPath(), labelPath()]) {
      await narrow.goto(path);
      await narrow.page.getByRole("heading", { level: 1 }).waitFor(PATIENCE);
      expect(await narrow.violations()).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await narrow.page.evaluate(overflow)).toBe(0);
    }
    expect(narrow.complaints).toEqual([]);
    await narrow.context.close();
  });

  test("log no errors except for aborted requests", () =>
    expect(tab.complaints.filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]));
});
