import { parseEnvironment } from '@sluice/service-kit';
import { environment } from './config.js';

const required = {
  SLUICE_ENV: 'development',
  PG_URL: 'postgres://sluice@db:5432/sluice',
  KAFKA_BROKERS: 'k1:9092, k2:9092',
  SLUICE_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
};

function parse(variables: Record<string, string>) {
  const parsed = parseEnvironment(environment, variables);
  return parsed.kind === 'valid' ? parsed.config : parsed.problems.map(({ variable }) => variable);
}

describe('the environment of webhook-relayer', () => {
  it('needs the database, Kafka and the key for secrets; the rest has defaults', () => {
    expect(parse({ SLUICE_ENV: 'development' })).toEqual(['PG_URL', 'KAFKA_BROKERS', 'SLUICE_SECRETS_KEY']);
    expect(parse(required)).toMatchObject({
      KAFKA_BROKERS: ['k1:9092', 'k2:9092'],
      SLUICE_HTTP_PORT: 3005,
      SLUICE_OPS_PORT: 3105,
      SLUICE_EVENTS_TOPIC: 'events.pending',
      SLUICE_ALLOWED_PRIVATE_HOSTS: [],
      SLUICE_REQUEST_TIMEOUT_SECONDS: 15_000,
    });
  });

  it.each([
    ['SLUICE_SECRETS_KEY', Buffer.alloc(16, 1).toString('base64')],
    ['SLUICE_ALLOWED_PRIVATE_HOSTS', '127.0.0.1,,b'],
    ['SLUICE_SUBSCRIPTION_CONCURRENCY', '0'],
    ['REDIS_URL', 'http://redis'],
    ['SLUICE_EVENT_TOPIC', 'a-name-with-a-typo'],
  ])('refuses %s=%s', (variable, value) => {
    expect(parse({ ...required, [variable]: value })).toEqual([variable]);
  });
});
