import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Where systems keep it; CHROMIUM names another one. */
const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** It connects only to the service. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * In milliseconds, for what takes less than a second: a slow machine is no fault of a page. Below the time of a test, so that its error says
 * what it waited for.
 */
const PATIENCE = 240_000;

export interface Chromium {
  /** A new page with what went wrong in it. */
  open(): Promise<{
    readonly page: Page;
    readonly faults: readonly string[];
    readonly hosts: ReadonlySet<string>;
  }>;
  /** A new page of a browser that runs no scripts, at this size. */
  openWithoutScripts(viewport: { readonly width: number; readonly height: number }): Promise<Page>;
  close(): Promise<void>;
}

/** Chromium without a window, with a profile of its own. */
export async function startChromium(): Promise<Chromium> {
  const executablePath = process.env['CHROMIUM'] ?? PATHS.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('There is no Chromium: say in CHROMIUM where one is.');
  const profile = await mkdtemp(join(tmpdir(), 'petstore-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
    timeout: PATIENCE,
  });
  context.setDefaultTimeout(PATIENCE);
  const withoutScripts: Browser[] = [];
  return {
    open: () => open(context),
    openWithoutScripts: async (viewport) => {
      const browser = await chromium.launch({ executablePath, args: FLAGS, timeout: PATIENCE });
      withoutScripts.push(browser);
      const page = await browser.newPage({ javaScriptEnabled: false, viewport });
      page.setDefaultTimeout(PATIENCE);
      return page;
    },
    close: async () => {
      await Promise.all([context, ...withoutScripts].map((one) => one.close()));
      await rm(profile, { recursive: true, force: true });
    },
  };
}

async function open(context: BrowserContext): ReturnType<Chromium['open']> {
  const page = await context.newPage();
  const faults: string[] = [];
  const hosts = new Set<string>();
  page.on('pageerror', (error) => faults.push(error.message));
  // Violations of the content security policy are reported here, too. An error response is no failure of the page.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load'))
      faults.push(message.text());
  });
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  return { page, faults, hosts };
}

/** How much wider a page is than its window, in pixels. */
export const overflowOf = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** What axe-core finds on a page as it is now. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
}

/** To look at: DOCS_SCREENSHOTS=folder stores screenshots. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['DOCS_SCREENSHOTS'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}
