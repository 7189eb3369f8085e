import { parseLedgerEnvironment } from './environment.js';

describe('parseLedgerEnvironment', () => {
  it('takes a port and a file', () => {
    expect(parseLedgerEnvironment({ PORT: '4010', LEDGER_FILE: '/x/rail.ndjson' })).toEqual({
      kind: 'valid',
      environment: { port: 4010, ledgerFile: '/x/rail.ndjson' },
    });
  });

  it('names all that is missing at once', () => {
    expect(parseLedgerEnvironment({})).toEqual({
      kind: 'invalid',
      problems: ['PORT         required, not set', 'LEDGER_FILE  required, not set'],
    });
  });

  it.each(['-1', '65536', '80a', '1e3', ' 80'])('refuses the port %j', (port) => {
    expect(parseLedgerEnvironment({ PORT: port, LEDGER_FILE: 'x' })).toEqual({
      kind: 'invalid',
      problems: [`PORT         expected a whole number 0..65535, found "${port}"`],
    });
  });
});
