import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface PasskeyOptions {
  challenge: string;
  user?: { id: string };
}

interface Choices {
  /** Origin of the page that asks. Default: the origin of the service. */
  origin?: string;
  /** Whether a PIN or finger verified the user. Default: true. */
  isVerified?: boolean;
  /** Default: one more than the last time. */
  counter?: number;
  /** Default: the account of the passkey. Null: none. */
  userHandle?: string | null;
  transports?: unknown;
  /** Signs the registration as a vendor (FIDO U2F), which the service does not ask for. */
  isCertified?: boolean;
  crossOrigin?: boolean;
  /** Bytes of an extra entry in the public key. */
  padding?: number;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const bytes = (value: Buffer) => {
  const head = value.length < 256 ? [0x58, value.length] : [0x59, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
};

/** A DER value of up to 65,535 bytes. */
const der = (tag: number, ...parts: Buffer[]) => {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, 0x82, value.length >> 8, value.length & 0xff]), value]);
};

/** A minimal, unsigned X.509 certificate. */
function certificateOf(publicKey: KeyObject): Buffer {
  // ecdsa-with-SHA256
  const algorithm = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const [from, to] = ['20200101000000Z', '20991231000000Z'].map((time) => der(0x18, Buffer.from(time)));
  const emptyName = der(0x30);
  const content = der(
    0x30,
    ...[der(0xa0, Buffer.from('020102', 'hex')), Buffer.from('020101', 'hex'), algorithm, emptyName],
    ...[der(0x30, from ?? emptyName, to ?? emptyName), emptyName, publicKey.export({ type: 'spki', format: 'der' })],
  );
  return der(0x30, content, algorithm, der(0x03, Buffer.from([0, 1])));
}

/** An authenticator with one passkey, as a browser uses it: ES256, attestation `none`. */
export class Authenticator {
  readonly #origin: string;
  readonly #id: Buffer;
  readonly #key: KeyObject;
  /** COSE key: EC2, ES256, P-256. */
  readonly #publicKey: Buffer;
  #userHandle = '';
  #counter = 0;

  constructor(origin: string, id = randomBytes(16)) {
    this.#origin = origin;
    this.#id = id;
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

  /** The `toJSON()` form of the credential. */
  create({ challenge, user }: PasskeyOptions, choices: Choices = {}) {
    this.#userHandle = user?.id ?? '';
    const { transports = ['internal'], isCertified = false } = choices;
    const clientData = this.#clientData('webauthn.create', challenge, choices);
    const length = Buffer.from([this.#id.length >> 8, this.#id.length & 0xff]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#paddedKey(choices)]);
    const authData = Buffer.concat([this.#authData(0x40, { counter: 0, ...choices }), credential]);
    const [format, statement] = isCertified
      ? [text('fido-u2f'), this.#certified(clientData)]
      : [text('none'), Buffer.from([0xa0])];
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), format, text('attStmt'), statement, text('authData'), bytes(authData)],
    ]);
    return this.#responseOf({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports,
    });
  }

  #paddedKey({ padding }: Choices): Buffer {
    if (padding === undefined) return this.#publicKey;
    const entry = [Buffer.from([0x18, 0x64]), bytes(Buffer.alloc(padding))];
    return Buffer.concat([Buffer.from([0xa6]), this.#publicKey.subarray(1), ...entry]);
  }

  #certified(clientData: Buffer): Buffer {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = createPublicKey(this.#key).export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const head = [Buffer.from([0]), sha256(new URL(this.#origin).hostname), sha256(clientData)];
    const signature = sign('sha256', Buffer.concat([...head, this.#id, point]), privateKey);
    return Buffer.concat([
      Buffer.from([0xa2]),
      ...[text('sig'), bytes(signature), text('x5c'), Buffer.from([0x81]), bytes(certificateOf(publicKey))],
    ]);
  }

  /** The `toJSON()` form of the credential. */
  get({ challenge }: PasskeyOptions, choices: Choices = {}) {
    const { userHandle = this.#userHandle } = choices;
    this.#counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge, choices);
    const authData = this.#authData(0, choices);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#key);
    return this.#responseOf({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle !== null && { userHandle }),
    });
  }

  #responseOf(response: object) {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, { origin = this.#origin, crossOrigin = false }: Choices): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  }

  #authData(flags: number, { isVerified = true, counter = this.#counter }: Choices): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | 0x01 | (isVerified ? 0x04 : 0));
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), head]);
  }
}
