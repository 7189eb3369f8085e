import { parseEnvironment } from '@sluice/service-kit';
import { environment, storeAddress } from './config.js';

const parse = (variables: Record<string, string>) =>
  parseEnvironment(environment, { SLUICE_ENV: 'development', ...variables });

const postgres = 'postgres://sluice@localhost/sluice';
const oracle = 'oracle://sluice:secret@localhost:1521/FREEPDB1';

describe('the environment of slot-assigner', () => {
  it.each([
    { variables: { PG_URL: postgres }, address: { store: 'postgres', url: postgres } },
    { variables: { QUEUE_STORE: 'oracle', ORACLE_URL: oracle }, address: { store: 'oracle', url: oracle } },
  ])('finds the slots in $address.store', ({ variables, address }) => {
    const parsed = parse({ ...variables });
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    expect(storeAddress(parsed.config)).toEqual(address);
  });

  it.each([{}, { ORACLE_URL: oracle }, { QUEUE_STORE: 'oracle', PG_URL: postgres }])(
    'refuses a store without its address: %j',
    (variables) => {
      expect(parse({ ...variables })).toMatchObject({
        kind: 'invalid',
        problems: [{ variable: 'QUEUE_STORE' }],
      });
    },
  );
});
