import { executablePath } from './browser.ts';
import { describeIfInstalled } from './where-installed.ts';

export const describeWithBrowser = describeIfInstalled(executablePath);
