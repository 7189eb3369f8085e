import { readFileSync } from 'node:fs';

export type EnvironmentRecord = Readonly<Record<string, string | undefined>>;

export type RawValue =
  | { readonly kind: 'given'; readonly raw: string; readonly source: 'environment' | 'file' }
  | { readonly kind: 'absent'; readonly empty: boolean }
  | { readonly kind: 'problem'; readonly variable: string; readonly problem: string };

export interface RawValueSource {
  readonly environment: EnvironmentRecord;
  readonly readFile: (path: string) => string;
}

export function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

/** The text of a variable, for a secret possibly from the file that `<variable>_FILE` names. Empty counts as not set. */
export function readRawValue(source: RawValueSource, variable: string, mayBeFile: boolean): RawValue {
  const direct = source.environment[variable];
  const inFile = fileVariable(variable);
  const path = mayBeFile ? source.environment[inFile] : undefined;
  const isSet = direct !== undefined && direct !== '';
  if (path === undefined || path === '') {
    return isSet
      ? { kind: 'given', raw: direct, source: 'environment' }
      : { kind: 'absent', empty: direct === '' };
  }
  if (isSet) {
    return {
      kind: 'problem',
      variable: inFile,
      problem: `set together with ${variable}, expected only one of the two`,
    };
  }
  return fromFile(source, inFile, path);
}

function fromFile(source: RawValueSource, variable: string, path: string): RawValue {
  try {
    // Editors and `kubectl create secret --from-file` leave a newline at the end that nobody means.
    const raw = source.readFile(path).replace(/\r?\n$/, '');
    if (raw !== '') return { kind: 'given', raw, source: 'file' };
    return {
      kind: 'problem',
      variable,
      problem: `expected a file with the value, found an empty file "${path}"`,
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { kind: 'problem', variable, problem: `expected a readable file, found ${code} for "${path}"` };
  }
}

export function readFileFromDisk(path: string): string {
  return readFileSync(path, 'utf8');
}
