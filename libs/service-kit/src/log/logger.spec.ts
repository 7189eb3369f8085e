import { createLogger } from './logger.js';
import type { Logger } from './logger.js';

function capture(): { log: Logger; lines: () => Record<string, unknown>[]; text: () => string } {
  let written = '';
  const destination = { write: (line: string) => void (written += line) };
  return {
    log: createLogger({ service: 'demo', version: '1.2.3', destination }),
    lines: () =>
      written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    text: () => written,
  };
}

describe('createLogger', () => {
  it('writes one JSON line with service, version, level as a word and time as an instant', () => {
    const { log, lines } = capture();
    log.info({ itemId: 'a-1' }, 'taken in');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/Z$/) as string,
        service: 'demo',
        version: '1.2.3',
        itemId: 'a-1',
        msg: 'taken in',
      },
    ]);
  });

  it('removes secrets by the name of their field, at any depth, in child loggers too', () => {
    const { log, lines } = capture();
    log.child({ apiKey: 'one' }).info({
      headers: { Authorization: 'two', 'x-api-key': 'three', accept: 'json' },
      list: [{ db: { PGPASSWORD: 'four' } }],
      SLUICE_SECRETS_KEY: 'five',
      webhookSecret: ['six'],
      idempotencyKey: 'shown',
    });
    expect(lines()[0]).toMatchObject({
      apiKey: '***',
      headers: { Authorization: '***', 'x-api-key': '***', accept: 'json' },
      list: [{ db: { PGPASSWORD: '***' } }],
      SLUICE_SECRETS_KEY: '***',
      webhookSecret: '***',
      idempotencyKey: 'shown',
    });
  });

  it('removes secrets by their form in messages and errors, and the line stays JSON', () => {
    const { log, lines, text } = capture();
    log.warn(
      { err: new Error('cannot reach postgres://app:pa"ss@db:5432/app') },
      'Bearer slk_shop_abcdefghijklmnopqrstuvwxyz and whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    );
    expect(lines()[0]).toMatchObject({ msg: 'Bearer *** and whsec_***' });
    expect(text()).toContain('postgres://app:***@db:5432/app');
    expect(text()).not.toMatch(/pa\\?"ss|abcdefg|MfKQ/);
  });

  it('leaves a URL with a port and an @ in its path alone', () => {
    const { log, lines } = capture();
    log.info('GET http://host:8080/users/a@b');
    expect(lines()[0]?.['msg']).toBe('GET http://host:8080/users/a@b');
  });

  it('writes errors with code, own fields and causes', () => {
    const { log, lines } = capture();
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET', password: 'x' });
    log.error(
      Object.assign(new TypeError('failed', { cause }), { code: 'OUTCOME_UNKNOWN', retryable: true }),
    );
    expect(lines()[0]).toMatchObject({
      msg: 'failed',
      err: {
        type: 'TypeError',
        code: 'OUTCOME_UNKNOWN',
        retryable: true,
        message: 'failed',
        cause: { message: 'reset', code: 'ECONNRESET', password: '***' },
      },
    });
  });

  it('writes the parts of an aggregate, and a thrown thing that is no error', () => {
    const { log, lines } = capture();
    log.error({ err: new AggregateError([new Error('one'), new Error('two')], 'both') });
    log.error({ err: 'plain' });
    expect(lines()[0]).toMatchObject({ err: { errors: [{ message: 'one' }, { message: 'two' }] } });
    expect(lines()[1]).toMatchObject({ err: { message: 'plain' } });
  });

  it('survives an object that contains itself', () => {
    const { log, lines } = capture();
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    log.info({ loop }, 'still here');
    expect(lines()[0]).toMatchObject({ msg: 'still here' });
  });
});
