import { REDACTED } from './redact-text.js';

const SECRET_FIELDS = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'xapikey',
  'apikey',
  'apikeys',
  'privatekey',
  'accesskey',
  'passphrase',
  'credentials',
  'signature',
  'webhooksignature',
]);
const SECRET_ENDINGS = [
  'password',
  'passwd',
  'secret',
  'secrets',
  'secretkey',
  'secretskey',
  'apikey',
  'apikeys',
];
const MAX_DEPTH = 8;

/** Whether a field of this name holds a secret, in whatever way its words are joined. */
export function isSecretField(name: string): boolean {
  const plain = name.replace(/[-_\s]/g, '').toLowerCase();
  return SECRET_FIELDS.has(plain) || SECRET_ENDINGS.some((ending) => plain.endsWith(ending));
}

/**
 * The same value with every secret field replaced. Plain objects and arrays are walked and copied; an instance of a
 * class is left as it is, since its serializer decides what is shown of it.
 */
export function redactFields(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) {
    return depth >= MAX_DEPTH ? '[too deep]' : value.map((item) => redactFields(item, depth + 1));
  }
  if (!isPlainObject(value)) return value;
  return depth >= MAX_DEPTH ? '[too deep]' : redactObject(value, depth);
}

/** The own fields of any object, without secrets. */
export function redactObject(value: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]: [string, unknown]) => [
      name,
      isSecretField(name) && item !== undefined && item !== null ? REDACTED : redactFields(item, depth + 1),
    ]),
  );
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
