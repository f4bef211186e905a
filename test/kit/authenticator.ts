import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What of the options of a registration or a sign-in is read. */
export interface PasskeyOptions {
  challenge: string;
  user?: { id: string };
}

interface Choices {
  /** Where the page is that asks; the service's own origin where nothing is said. */
  origin?: string;
  /** Whether the user was verified, by a PIN or a finger; they were where nothing is said. */
  isVerified?: boolean;
  /** What the counter says, instead of one more than the last time. */
  counter?: number;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const bytes = (value: Buffer) => Buffer.concat([Buffer.from([0x58, value.length]), value]);

/** An authenticator with one passkey, as a browser speaks to it: ES256, attestation `none`. */
export class Authenticator {
  readonly #origin: string;
  readonly #id = randomBytes(16);
  readonly #key: KeyObject;
  /** COSE key: EC2, ES256, P-256. */
  readonly #publicKey: Buffer;
  #userHandle = '';
  #counter = 0;

  /** @param origin of the service */
  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const coordinates = [x, y].map((each) => bytes(Buffer.from(each, 'base64url')));
    const [first, second] = coordinates as [Buffer, Buffer];
    this.#publicKey = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      first,
      Buffer.from([0x22]),
      second,
    ]);
  }

  /** `toJSON()` of what `navigator.credentials.create` answers. */
  create({ challenge, user }: PasskeyOptions, choices: Choices = {}) {
    this.#userHandle = user?.id ?? '';
    const length = Buffer.from([0, this.#id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#publicKey]);
    const authData = Buffer.concat([this.#authData(0x40, { counter: 0, ...choices }), credential]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(authData)],
    ]);
    return this.#responseOf({
      clientDataJSON: this.#clientData('webauthn.create', challenge, choices).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** `toJSON()` of what `navigator.credentials.get` answers. */
  get({ challenge }: PasskeyOptions, choices: Choices = {}) {
    this.#counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge, choices);
    const authData = this.#authData(0, choices);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#key);
    return this.#responseOf({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: this.#userHandle,
    });
  }

  #responseOf(response: object) {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: Choices): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #authData(flags: number, { isVerified = true, counter = this.#counter }: Choices): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | 0x01 | (isVerified ? 0x04 : 0));
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), head]);
  }
}
