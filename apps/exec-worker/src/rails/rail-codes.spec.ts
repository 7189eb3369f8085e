import { judgeSend, judgeStatus } from './judge-answer.js';
import { answerClasses, isRejection, unreachableCodes } from './rail-codes.js';

const answer = (httpStatus: number, word: string) => ({ httpStatus, word });

describe('an answer to an order', () => {
  it.each(Object.entries(answerClasses))('%s is %s', (said, expected) => {
    const [httpStatus = '', word = ''] = said.split(' ');
    expect(judgeSend(answer(Number(httpStatus), word))).toMatchObject({ class: expected, code: word });
  });

  it('is "executed" for one answer only, and no class is without one', () => {
    const classes = Object.values(answerClasses);
    expect(classes.filter((one) => one === 'executed')).toHaveLength(1);
    expect([...new Set(classes)].toSorted()).toEqual([
      'executed',
      'hold',
      'outage',
      'reject',
      'retry',
      'throttled',
      'unknown',
    ]);
  });

  it('is told by its word alone whether it was a rejection, so that no word may mean two things', () => {
    const classesByWord = Map.groupBy(Object.entries(answerClasses), ([said]) => said.split(' ')[1] ?? '');
    for (const [word, entries] of classesByWord) {
      expect({ word, rejection: isRejection(word), meanings: entries.length }).toEqual({
        word,
        rejection: entries[0]?.[1] === 'reject',
        meanings: 1,
      });
    }
  });

  it.each([
    [200, ''],
    [200, 'ACCEPTED'],
    [202, 'EXECUTED'],
    [404, 'NOT_FOUND'],
    [422, 'SOMETHING_NEW'],
    [500, ''],
    [500, 'RAIL_UNAVAILABLE'],
    [502, ''],
    [503, ''],
    [504, 'TIMEOUT'],
    [422, 'toString'],
  ])('%d %s is not in the table, so that its outcome is unknown', (httpStatus, word) => {
    expect(judgeSend(answer(httpStatus, word)).class).toBe('unknown');
  });

  it('carries the reference of an execution and the wait that the rail asks for', () => {
    expect(judgeSend({ ...answer(200, 'EXECUTED'), reference: 'R-1' })).toMatchObject({ reference: 'R-1' });
    expect(judgeSend({ ...answer(429, 'RATE_LIMITED'), retryAfterMs: 7 })).toMatchObject({ retryAfterMs: 7 });
  });
});

describe('an answer to a status query', () => {
  it.each([
    [200, 'EXECUTED', 'executed'],
    [404, 'UNKNOWN', 'notExecuted'],
    [404, 'NOT_FOUND', 'unknown'],
    [404, '', 'unknown'],
    [200, 'UNKNOWN', 'unknown'],
    [422, 'ACCOUNT_CLOSED', 'unknown'],
    [503, 'RAIL_UNAVAILABLE', 'outage'],
    [429, 'RATE_LIMITED', 'throttled'],
  ])('%d %s is %s', (httpStatus, word, expected) => {
    expect(judgeStatus(answer(httpStatus, word)).class).toBe(expected);
  });

  it('that never came leaves the question open', () => {
    expect(judgeStatus({ failure: 'RAIL_TIMEOUT' }).class).toBe('unknown');
    expect(judgeStatus({ failure: 'ECONNREFUSED' }).class).toBe('outage');
  });
});

describe('a call without an answer', () => {
  it.each([...unreachableCodes])('%s means that nothing was sent', (failure) => {
    expect(judgeSend({ failure })).toMatchObject({ class: 'outage', code: failure });
  });

  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'UND_ERR_SOCKET', 'RAIL_TIMEOUT'])(
    '%s leaves the outcome open',
    (failure) => {
      expect(judgeSend({ failure })).toMatchObject({ class: 'unknown', code: failure });
    },
  );
});
