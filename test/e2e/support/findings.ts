import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** What the rules of accessibility find in the window as it is, or in a part of it; `rules` only these. */
export async function axeFindings(
  page: Page,
  where: string,
  { part, rules }: { readonly part?: string; readonly rules?: readonly string[] } = {},
): Promise<readonly string[]> {
  // The rules stay in the page until it is loaded anew: to send them each time is half of the work.
  const isThere = await page.evaluate(() => 'axe' in window);
  const builder = new AxeBuilder({ page, ...(isThere ? { axeSource: ';' } : {}) })
    .setLegacyMode(true)
    // What passes is not described.
    .options({ resultTypes: ['violations'] });
  if (part !== undefined) builder.include(part);
  if (rules !== undefined) builder.withRules([...rules]);
  const { violations } = await builder.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${where}: ${id} ${target.join(' ')} ${failureSummary ?? ''}`),
  );
}

/** The same in both themes; the dark one differs in colours alone. */
export async function axeInBothThemes(page: Page, where: string): Promise<readonly string[]> {
  const found = [...(await axeFindings(page, where))];
  await setTheme(page, 'dark');
  found.push(...(await axeFindings(page, `${where}, dark`, { rules: ['color-contrast'] })));
  await setTheme(page, 'light');
  return found;
}

async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate((wanted) => {
    document.documentElement.dataset.theme = wanted;
  }, theme);
}

/** Nothing reaches beyond the window, and the buttons of an open dialog are in it. */
export async function overflowFindings(page: Page, where: string): Promise<readonly string[]> {
  const found = await page.evaluate(() => {
    const wrong: string[] = [];
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) wrong.push('the window scrolls');
    for (const button of document.querySelectorAll('main .toolbar button, .dialog-buttons button')) {
      const { left, right, top, bottom, width } = button.getBoundingClientRect();
      const isOut = left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
      if (width > 0 && isOut) wrong.push(`out of the window: ${button.textContent}`);
    }
    return wrong;
  });
  return found.map((what) => `${where}: ${what}`);
}

/** Rounds of Tab before a control counts as not reached: what came during the first is reached in the second. */
const mostRounds = 3;

/**
 * Walks with the Tab key through all there is in `scope`, from what has the focus on, and answers what a person without
 * a mouse cannot get at, and where the focus cannot be seen. One tab stop stands for all of a table, tree, board, list
 * of tabs or choices, whose own keys lead on.
 */
export async function keyboardFindings(page: Page, where: string, scope: string): Promise<readonly string[]> {
  await watchFocus(page, scope);
  let found: readonly string[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const stops = await page.evaluate(
      (selector) => document.querySelectorAll(selector).length,
      `${controls}, ${composites}`,
    );
    // Sent without waiting for each: the window takes them in their order.
    await Promise.all(Array.from({ length: stops + 2 }, () => page.keyboard.press('Tab')));
    found = await walkedFindings(page, scope);
    if (found.length === 0) break;
  }
  await page.evaluate(() => (window as unknown as Walking).walked.end());
  return found.map((what) => `${where}: ${what}`);
}

const controls =
  'a[href], button, input, select, textarea, summary, [tabindex], [role="button"], [role="link"], [role="checkbox"], [role="tab"]';
const composites =
  '[role="grid"], [role="tree"], [role="tablist"], [role="listbox"], [role="radiogroup"], [role="menu"], [role="log"]';

/** What the window keeps while it is walked through. */
interface Walking {
  readonly walked: {
    readonly reached: Set<Element>;
    readonly unseen: Set<string>;
    readonly end: () => void;
  };
}

/** Notes what gets the focus from now on, and whether that can be seen. */
function watchFocus(page: Page, scope: string): Promise<void> {
  return page.evaluate((selector) => {
    const reached = new Set<Element>();
    const unseen = new Set<string>();
    const listener = (event: FocusEvent) => {
      const target = event.target as HTMLElement;
      if (reached.has(target)) return;
      reached.add(target);
      const { outlineStyle, outlineWidth } = getComputedStyle(target);
      // A table draws its ring above its rows.
      const above = getComputedStyle(target.parentElement ?? target, '::after');
      const isSeen =
        (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) ||
        (target.getAttribute('role') === 'grid' && above.borderTopWidth === '2px');
      if (!isSeen && target.closest(selector) !== null) unseen.add(target.outerHTML.slice(0, 160));
    };
    document.addEventListener('focusin', listener);
    Object.assign(window, {
      walked: { reached, unseen, end: () => document.removeEventListener('focusin', listener) },
    });
    const active = document.activeElement;
    if (active !== null) reached.add(active);
  }, scope);
}

function walkedFindings(page: Page, scope: string): Promise<readonly string[]> {
  return page.evaluate(
    ({ scope: selector, controls, composites }) => {
      const { walked } = window as unknown as Walking;
      const missed: string[] = [];
      for (const part of document.querySelectorAll(selector)) {
        for (const control of part.querySelectorAll(controls)) {
          const isDrawn =
            control.checkVisibility({ visibilityProperty: true }) &&
            control.getBoundingClientRect().width > 0;
          if (!isDrawn || walked.reached.has(control) || control.closest('[aria-hidden="true"]') !== null)
            continue;
          const composite = control.closest(composites);
          const isWithin = [...walked.reached].some(
            (one) =>
              one === composite ||
              composite?.contains(one) ||
              (composite?.id !== '' && one.getAttribute('aria-controls') === composite?.id),
          );
          const radios =
            control instanceof HTMLInputElement && control.type === 'radio' ? control.name : null;
          const isChoice =
            radios !== null &&
            [...walked.reached].some((one) => one instanceof HTMLInputElement && one.name === radios);
          if ((composite !== null && isWithin) || isChoice) continue;
          missed.push(control.outerHTML.slice(0, 160));
        }
      }
      return [
        ...missed.map((what) => `not reached by Tab: ${what}`),
        ...[...walked.unseen].map((what) => `no focus to be seen: ${what}`),
      ];
    },
    { scope, controls, composites },
  );
}
