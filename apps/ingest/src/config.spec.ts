import { parseEnvironment } from '@sluice/service-kit';
import { environment } from './config.js';

const needed = {
  PG_URL: 'postgres://sluice@localhost/sluice',
  TEMPORAL_ADDRESS: 'localhost:7233',
  SLUICE_SLOT_ASSIGNER_URL: 'http://localhost:3004',
};

describe('the environment of ingest', () => {
  test('needs three addresses and has a default for the rest', () => {
    const parsed = parseEnvironment(environment, { ...needed, SLUICE_ENV: 'development' });
    expect(parsed).toMatchObject({
      kind: 'valid',
      config: {
        SLUICE_HTTP_PORT: 3001,
        SLUICE_OPS_PORT: 3101,
        SLUICE_TASK_QUEUE: 'payment-init-task-queue',
        SLUICE_SLOT_CONFIG: 'payments',
        SLUICE_START_TIMEOUT_SECONDS: 5000,
        SLUICE_SLOT_TIMEOUT_SECONDS: 10_000,
      },
    });
  });

  test('names everything that is missing at once', () => {
    const parsed = parseEnvironment(environment, {});
    const problems = parsed.kind === 'invalid' ? parsed.problems.map(({ variable }) => variable) : [];
    expect(problems.toSorted()).toEqual(['SLUICE_API_KEYS', ...Object.keys(needed)].toSorted());
  });

  test('takes the queue in Oracle with its address, and refuses one without the other', () => {
    const oracle = { QUEUE_STORE: 'oracle', ORACLE_URL: 'oracle://sluice:secret@localhost:1521/FREEPDB1' };
    const parse = (more: Record<string, string>) =>
      parseEnvironment(environment, { ...needed, SLUICE_ENV: 'development', ...more });
    expect(parse(oracle)).toMatchObject({ kind: 'valid', config: { QUEUE_STORE: 'oracle' } });
    for (const half of [{ QUEUE_STORE: 'oracle' }, { ORACLE_URL: oracle.ORACLE_URL }]) {
      expect(parse(half)).toMatchObject({
        kind: 'invalid',
        problems: [{ variable: 'ORACLE_URL', problem: 'goes with QUEUE_STORE=oracle: set both or neither' }],
      });
    }
  });

  test('takes the calendars of rails as JSON, and says what is wrong with them', () => {
    const parse = (calendars: string) =>
      parseEnvironment(environment, {
        ...needed,
        SLUICE_ENV: 'development',
        SLUICE_RAIL_CALENDARS: calendars,
      });
    const valid = parse('{"ACH":{"timeZone":"America/New_York","cutOff":"16:45"}}');
    expect(valid).toMatchObject({
      kind: 'valid',
      config: { SLUICE_RAIL_CALENDARS: { ACH: { opens: 0, cutOff: 1005, late: 'next-day' } } },
    });
    for (const wrong of ['x', '[]', '{"FAX":{}}', '{"ACH":{"timeZone":"Mars"}}'])
      expect(parse(wrong)).toMatchObject({
        kind: 'invalid',
        problems: [{ variable: 'SLUICE_RAIL_CALENDARS' }],
      });
  });

  test('has no Kafka unless its brokers are named', () => {
    const parse = (more: Record<string, string>) =>
      parseEnvironment(environment, { ...needed, SLUICE_ENV: 'development', ...more });
    expect(parse({})).toMatchObject({
      kind: 'valid',
      config: { SLUICE_REQUESTS_TOPIC: 'payments.requested' },
    });
    expect(parse({ KAFKA_BROKERS: 'a:1,b:2' })).toMatchObject({ config: { KAFKA_BROKERS: ['a:1', 'b:2'] } });
  });
});
