import { parseEnvironment } from '@sluice/service-kit';
import { concurrencyByRail, environment } from './config.js';

const needed = {
  PG_URL: 'postgres://sluice@localhost/sluice',
  TEMPORAL_ADDRESS: 'localhost:7233',
  SLUICE_RAIL_URL: 'http://localhost:4000',
};

it('needs three addresses and has a default for the rest', () => {
  const parsed = parseEnvironment(environment, { ...needed, SLUICE_ENV: 'development' });
  expect(parsed).toMatchObject({
    kind: 'valid',
    config: {
      SLUICE_HTTP_PORT: 3003,
      SLUICE_OPS_PORT: 3103,
      SLUICE_TASK_QUEUE: 'payment-exec-task-queue',
      SLUICE_RAIL_TIMEOUT_SECONDS: 10_000,
      SLUICE_LEASE_SECONDS: 30,
      SLUICE_CIRCUIT_OPEN_SECONDS: 2_000,
    },
  });
});

it('names everything that is missing at once', () => {
  const parsed = parseEnvironment(environment, {});
  const problems = parsed.kind === 'invalid' ? parsed.problems.map(({ variable }) => variable) : [];
  expect(problems.toSorted()).toEqual(['SLUICE_API_KEYS', ...Object.keys(needed)].toSorted());
});

describe('the concurrency of a rail', () => {
  const read = (value: string) =>
    parseEnvironment(environment, { ...needed, SLUICE_ENV: 'development', SLUICE_RAIL_CONCURRENCY: value });

  it('is set for some rails and standard for the others', () => {
    const parsed = read('RTP=64, ACH=4');
    const entries = parsed.kind === 'valid' ? parsed.config.SLUICE_RAIL_CONCURRENCY : [];
    expect(concurrencyByRail(entries)).toEqual({ ACH: 4, WIRE: 16, RTP: 64, SEPA: 16 });
  });

  it.each(['RTP', 'RTP=0', 'RTP=x', 'CHEQUE=4', 'RTP=1000'])('is refused as %j', (value) => {
    expect(read(value)).toMatchObject({
      kind: 'invalid',
      problems: [{ variable: 'SLUICE_RAIL_CONCURRENCY' }],
    });
  });
});
