import { z } from 'zod';
import { malformed, variable } from './variable.js';
import type { Variable } from './variable.js';

/** A whole number within bounds, both included. */
export function wholeNumber(bounds: { min: number; max: number }): Variable<number> {
  return variable({ expected: `a whole number ${bounds.min}..${bounds.max}` }, (raw) => {
    const value = Number(raw);
    const fits = /^-?\d+$/.test(raw) && value >= bounds.min && value <= bounds.max;
    return fits ? { value } : malformed;
  });
}

/** A TCP port; 0 lets the system choose one. */
export function port(): Variable<number> {
  return wholeNumber({ min: 0, max: 65535 });
}

/** Seconds in the environment, milliseconds in the program. */
export function secondsAsMs(bounds: { min: number; max: number }): Variable<number> {
  const show = (ms: unknown): string => String(Number(ms) / 1000);
  return variable({ expected: `seconds, a number ${bounds.min}..${bounds.max}`, show }, (raw) => {
    const seconds = Number(raw);
    const fits = /^\d+(\.\d+)?$/.test(raw) && seconds >= bounds.min && seconds <= bounds.max;
    return fits ? { value: Math.round(seconds * 1000) } : malformed;
  });
}

/** Text that is not empty, optionally of a given form. */
export function text(form?: { pattern: RegExp; expected: string }): Variable<string> {
  return variable({ expected: form?.expected ?? 'text' }, (raw) =>
    form === undefined || form.pattern.test(raw) ? { value: raw } : malformed,
  );
}

/** Text that is never shown, and that may come from a file. */
export function secretText(form?: { pattern: RegExp; expected: string }): Variable<string> {
  return variable({ expected: form?.expected ?? 'a secret', secret: 'whole' }, (raw) =>
    form === undefined || form.pattern.test(raw) ? { value: raw } : malformed,
  );
}

/** `true` or `false`, and nothing that merely looks like it. */
export function flag(): Variable<boolean> {
  return variable({ expected: 'true or false' }, (raw) =>
    raw === 'true' || raw === 'false' ? { value: raw === 'true' } : malformed,
  );
}

export function oneOf<const T extends string>(values: readonly T[]): Variable<T> {
  return variable({ expected: `one of ${values.join(', ')}` }, (raw) => {
    const value = values.find((candidate) => candidate === raw);
    return value === undefined ? malformed : { value };
  });
}

export function postgresUrl(): Variable<string> {
  return url({
    protocols: ['postgres:', 'postgresql:'],
    expected: 'a URL postgres://user@host:port/database',
  });
}

export function redisUrl(): Variable<string> {
  return url({ protocols: ['redis:', 'rediss:'], expected: 'a URL redis://host:port or rediss://host:port' });
}

export function oracleUrl(): Variable<string> {
  return url({ protocols: ['oracle:'], expected: 'a URL oracle://user:password@host:port/service' });
}

function url(form: { protocols: readonly string[]; expected: string }): Variable<string> {
  return variable({ expected: form.expected, secret: 'credentials' }, (raw) => {
    const parsed = URL.parse(raw);
    const fits = parsed !== null && form.protocols.includes(parsed.protocol) && parsed.hostname !== '';
    return fits ? { value: raw } : malformed;
  });
}

/** An http or https address of another service, without a slash at the end. Credentials have variables of their own. */
export function httpUrl(): Variable<string> {
  return variable({ expected: 'a URL http://host:port without credentials, query or fragment' }, (raw) => {
    const parsed = URL.parse(raw);
    if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) return malformed;
    const bare = parsed.username + parsed.password + parsed.search + parsed.hash === '';
    return bare ? { value: raw.replace(/\/+$/, '') } : malformed;
  });
}

const HOST_PORT = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/;

function isHostPort(raw: string): boolean {
  const found = HOST_PORT.exec(raw)?.[1];
  return found !== undefined && Number(found) >= 1 && Number(found) <= 65535;
}

export function hostPort(): Variable<string> {
  return variable({ expected: 'host:port' }, (raw) => (isHostPort(raw) ? { value: raw } : malformed));
}

/** `host:port` once or more, with commas between. */
export function hostPortList(): Variable<string[]> {
  return variable({ expected: 'host:port, or several with commas between' }, (raw) => {
    const parts = raw.split(',').map((part) => part.trim());
    return parts.every(isHostPort) ? { value: parts } : malformed;
  });
}

/** Texts with commas between; blanks around them do not count. */
export function textList(form?: { pattern: RegExp; expected: string }): Variable<string[]> {
  return variable({ expected: form?.expected ?? 'texts with commas between' }, (raw) => {
    const parts = raw.split(',').map((part) => part.trim());
    return parts.every((part) => part !== '' && (form?.pattern.test(part) ?? true))
      ? { value: parts }
      : malformed;
  });
}

const apiKeyEntries = z.array(
  z.strictObject({
    id: z.string().regex(/^[a-z0-9-]{1,64}$/, 'is not 1 to 64 of a-z, 0-9, -'),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is not 64 hex digits in lower case'),
    scopes: z.array(z.string().min(1)).min(1),
    tenant: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'is not 1 to 64 letters, digits, _ and -')
      .optional(),
  }),
);

/** The callers of a service's API: their ids, the digests of their keys, what they may do, and for which tenant. */
export function apiKeyList(): Variable<z.infer<typeof apiKeyEntries>> {
  const meta = { expected: 'a JSON array of {"id", "sha256", "scopes"}', secret: 'whole' } as const;
  return variable(meta, (raw) => {
    const parsed = apiKeyEntries.safeParse(parseJson(raw));
    if (parsed.success) return { value: parsed.data };
    const [issue] = parsed.error.issues;
    // Only the place is told: a key pasted here by mistake, where its digest belongs, must not reach a log.
    return {
      malformed: true,
      detail: `look at ${JSON.stringify((issue?.path ?? []).join('.') || 'the whole')}`,
    };
  });
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
