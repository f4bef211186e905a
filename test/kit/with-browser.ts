import { executablePath } from './browser.ts';
import { whereInstalled } from './where-installed.ts';

export const withBrowser = whereInstalled(executablePath);
