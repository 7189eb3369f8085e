import { isNativeError } from 'node:util/types';

export type LocalStackErrorCode =
  | 'BAD_PORT_BASE'
  | 'PORT_TAKEN'
  | 'ALREADY_RUNNING'
  | 'PROGRAM_MISSING'
  | 'INSTALL_FAILED'
  | 'ADDRESS_UNREACHABLE'
  | 'NOT_READY'
  | 'NOT_BUILT';

/** Something a person can put right; the message says what was found and every way out. */
export class LocalStackError extends Error {
  readonly code: LocalStackErrorCode;

  constructor(code: LocalStackErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LocalStackError';
    this.code = code;
  }
}

/** What went wrong, in words; the message of an AggregateError is empty when Node tried several addresses. */
export function messageOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  if (error.message !== '' || !('errors' in error) || !Array.isArray(error.errors)) return error.message;
  return error.errors.map(messageOf).join('; ');
}
