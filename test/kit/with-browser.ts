import { executablePath } from './browser.ts';
import { whereInstalled } from './where-installed.ts';

/** `describe` for what a browser shows. */
export const withBrowser = whereInstalled(executablePath);
