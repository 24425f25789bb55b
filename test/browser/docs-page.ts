import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Chromium } from './chromium.js';

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 800 };

/** Opens the page and waits for the reference; `expectNoFaults` checks that nothing failed, and nothing came from another host. */
export async function openDocs(
  chromium: Chromium,
  origin: string,
  size: { readonly width: number; readonly height: number } = WIDE,
  anchor = '',
): Promise<{ page: Page; expectNoFaults: () => void }> {
  const { page, faults, hosts } = await chromium.open();
  await page.setViewportSize(size);
  // Then the page jumps to its anchors at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // A DELETE asks before it is sent.
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${origin}/docs${anchor}`);
  await page.locator('#reference:not([aria-busy])').waitFor();
  const expectNoFaults = (): void => {
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(origin).host]);
  };
  return { page, expectNoFaults };
}

/** Gives the page a key. */
export async function authorise(page: Page, withKey: string): Promise<void> {
  await page.getByRole('button', { name: 'Use an API key' }).click();
  await page.getByLabel('API key', { exact: true }).fill(withKey);
  await page.getByRole('button', { name: 'Use the key' }).click();
}

/** Sends what the form of an operation holds, and waits for the response. */
export async function send(form: Locator): Promise<string> {
  await form.getByRole('button', { name: 'Send' }).click();
  const outcome = form.getByRole('status');
  await outcome.locator('.status').waitFor();
  return await outcome.innerText();
}

export const formOf = (page: Page, summary: string): Locator =>
  page.getByRole('form', { name: `Try: ${summary}` });

/** A header of the response that a form shows. */
export const shownHeader = async (form: Locator, name: string): Promise<string> =>
  (await form.locator(`dt:text-is("${name}") + dd`).textContent()) ?? '';
