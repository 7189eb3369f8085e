export interface LedgerEnvironment {
  readonly port: number;
  readonly ledgerFile: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Port 0 lets the system choose; the chosen one is in the line that the process prints when it listens. */
export function parseLedgerEnvironment(
  variables: Variables,
): { kind: 'valid'; environment: LedgerEnvironment } | { kind: 'invalid'; problems: string[] } {
  const { PORT: port = '', LEDGER_FILE: ledgerFile = '' } = variables;
  const problems: string[] = [];
  if (port === '') {
    problems.push('PORT         required, not set');
  } else if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    problems.push(`PORT         expected a whole number 0..65535, found "${port}"`);
  }
  if (ledgerFile === '') problems.push('LEDGER_FILE  required, not set');
  if (problems.length > 0) return { kind: 'invalid', problems };
  return { kind: 'valid', environment: { port: Number(port), ledgerFile } };
}
