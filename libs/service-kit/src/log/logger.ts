import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { redactObject } from './redact-fields.js';
import { redactText } from './redact-text.js';
import { serializeError } from './serialize-error.js';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly service: string;
  readonly version?: string;
  /** Default `info`. */
  readonly level?: string;
  /** Default: standard output, written at once so that the last words of a process are not lost. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines with `service` and `version`. Secrets are removed twice: fields by their name before they are written,
 * then keys, tokens and passwords in URLs by their form in the finished line, messages and stacks included.
 */
export function createLogger(options: LoggerOptions): Logger {
  const log = pino(
    {
      level: options.level ?? 'info',
      base: { service: options.service, version: options.version },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redactObject(fields) },
      serializers: { err: serializeError, error: serializeError },
      hooks: { streamWrite: redactText },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
  return redactBindings(log);
}

// pino drops its formatter of bindings in every child, so the method itself is replaced; children inherit it.
function redactBindings(log: Logger): Logger {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it gets its `this` below
  const makeChild = log.child;
  const child = function (this: Logger, bindings: object, ...rest: unknown[]): unknown {
    return Reflect.apply(makeChild, this, [redactObject(bindings), ...rest]);
  };
  Object.defineProperty(log, 'child', { value: child });
  return log;
}
