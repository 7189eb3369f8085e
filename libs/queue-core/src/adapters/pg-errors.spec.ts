import { toStoreError } from './pg-errors.js';

const failure = (code?: string) => Object.assign(new Error('failed'), code === undefined ? {} : { code });

describe('toStoreError', () => {
  it.each(['23505', '23514', '42P01', '22P02', '22021'])('takes SQLSTATE %s for a refusal', (code) => {
    expect(toStoreError('claim_batch', failure(code))).toMatchObject({
      code: 'STORE_REFUSED',
      retryable: false,
    });
  });

  it.each(['08006', '40P01', '40001', '53300', '57014', '57P01', 'ECONNREFUSED', 'ETIMEDOUT', undefined])(
    'takes %s for something that passes',
    (code) => {
      expect(toStoreError('claim_batch', failure(code))).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: true,
      });
    },
  );

  it('keeps the cause and names the operation', () => {
    const cause = failure('40P01');
    const error = toStoreError('claim_batch', cause);
    expect(error.cause).toBe(cause);
    expect(error.message).toBe('dispatch queue: claim_batch failed: failed');
  });
});
