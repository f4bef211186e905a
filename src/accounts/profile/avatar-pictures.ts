import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import type { Connections } from '../../platform/database.ts';
import { unknownPath } from '../../platform/errors.ts';
import { findAvatar } from './rules.ts';

const form = /^\/([\da-f-]{36}\.(jpg|png))$/;

/** A name is never reused, so its content never changes. @throws UNAVAILABLE */
export function avatarPictures(connections: Connections): Router {
  return Router().use(async (request, response) => {
    const isRead = ['GET', 'HEAD'].includes(request.method);
    const [, name, extension = ''] = form.exec(request.path) ?? [];
    const avatar = isRead && name !== undefined ? await findAvatar(connections, name) : undefined;
    if (!avatar) throw unknownPath();
    response.type(extension).set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      // Otherwise a browser derives a name from the address (OWASP ASVS 5.4.1).
      'Content-Disposition': `inline; filename="${name}"`,
      ETag: `"${name}"`,
    });
    if (request.fresh) return void response.status(304).end();
    response.set('Content-Length', String(avatar.size));
    if (request.method === 'HEAD') return void response.end();
    // A hang-up ends the read. A read error cuts the connection.
    await pipeline(Readable.from(avatar.pieces()), response).catch(() => undefined);
  });
}
