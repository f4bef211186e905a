import { watch } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { simpleParser } from 'mailparser';
import { withTimeout } from './until.ts';

export interface ReceivedMail {
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
}

export class Mailbox {
  readonly #folder: string;
  readonly #taken = new Set<string>();

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'outbox');
  }

  /** Returns the oldest mail to the address that was not taken yet, or waits for one. */
  async take(address: string): Promise<ReceivedMail> {
    await mkdir(this.#folder, { recursive: true });
    let changed = () => {};
    const watcher = watch(this.#folder, () => changed());
    try {
      for (;;) {
        const change = new Promise<void>((resolve) => (changed = resolve));
        const mail = await this.#find(address);
        if (mail) return mail;
        await withTimeout(`a mail to ${address}`, change);
      }
    } finally {
      watcher.close();
    }
  }

  /** Skips mails without a code. */
  async takeCode(address: string): Promise<string> {
    for (;;) {
      const { text } = await this.take(address);
      const [code] = /\b\d{6}\b/.exec(text) ?? [];
      if (code !== undefined) return code;
    }
  }

  async #find(address: string): Promise<ReceivedMail | undefined> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.eml')).sort();
    for (const name of names.filter((each) => !this.#taken.has(each))) {
      const { to, from, subject, text, html } = await simpleParser(await readFile(path.join(this.#folder, name)));
      const recipient = to && !Array.isArray(to) ? to.text : '';
      if (recipient !== address) continue;
      this.#taken.add(name);
      return { to: recipient, from: from?.text ?? '', subject: subject ?? '', text: text ?? '', html: html || '' };
    }
    return undefined;
  }
}
