import type { Page } from "playwright-core";

/** More than the tab stops of any page. */
const MOST_TABS = 150;

/** What a screen reader calls the element that has the focus; typed as text, for these tests know no DOM. */
const FOCUSED_NAME = `(() => {
  const element = document.activeElement;
  if (element === null) return "";
  const ids = (element.getAttribute("aria-labelledby") ?? "").split(" ").filter((id) => id !== element.id);
  const named = ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
  const labels = [...(element.labels ?? [])].map((label) => label.textContent).join(" ");
  return (element.getAttribute("aria-label") || named || labels || element.textContent || "").trim();
})()`;

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = [];
  for (let tab = 0; tab < MOST_TABS; tab++) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate<string>(FOCUSED_NAME);
    if (found === name) return;
    seen.push(found.slice(0, 40));
  }
  throw new Error(`Nothing named "${name}" takes the focus, but: ${seen.join(" | ")}`);
}

/** Tabs to a field and replaces its text. */
export async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
}
