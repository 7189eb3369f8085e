import { parseEnvironment } from '@sluice/service-kit';
import { environment } from './config.js';

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
    },
  });
});

it('names everything that is missing at once', () => {
  const parsed = parseEnvironment(environment, {});
  const problems = parsed.kind === 'invalid' ? parsed.problems.map(({ variable }) => variable) : [];
  expect(problems.toSorted()).toEqual(['SLUICE_API_KEYS', ...Object.keys(needed)].toSorted());
});
