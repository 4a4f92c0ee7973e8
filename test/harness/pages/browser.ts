import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// The one without a window of its own takes a quarter less of the processor.
const executablePath = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
].find((path) => path !== undefined && existsSync(path));

/** How long a page may take for anything, in milliseconds: a slow machine is no error. */
export const slowMs = 180_000;

/** Whether there is a Chromium. The `.ci` environment has one; elsewhere `CHROMIUM` gives its path. */
export const hasBrowser = executablePath !== undefined;

/**
 * Starts it without a window and without requests of its own to the internet. `film`: a file that takes the
 * place of the camera.
 */
export function startBrowser(film?: string): Promise<Browser> {
  const camera = [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${film}`,
  ];
  return chromium.launch({
    executablePath: executablePath!,
    timeout: slowMs,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(film === undefined ? [] : camera),
    ],
  });
}
