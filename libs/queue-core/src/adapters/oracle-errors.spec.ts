import { toStoreError } from './oracle-errors.js';

const failure = (code?: string) => Object.assign(new Error('failed'), code === undefined ? {} : { code });

describe('toStoreError', () => {
  it.each(['ORA-00001', 'ORA-00942', 'ORA-01400', 'ORA-02290', 'ORA-06550', 'ORA-12899', 'ORA-20001'])(
    'takes %s of the database for a refusal',
    (code) => {
      expect(toStoreError('claim_batch', failure(code))).toMatchObject({
        code: 'STORE_REFUSED',
        retryable: false,
      });
    },
  );

  it.each(['NJS-005', 'NJS-035', 'NJS-058', 'NJS-506', 'NJS-517'])(
    'takes %s of the driver for a refusal',
    (code) => {
      expect(toStoreError('claim_batch', failure(code))).toMatchObject({ code: 'STORE_REFUSED' });
    },
  );

  it.each(['ORA-00060', 'ORA-01555', 'ORA-04068', 'NJS-040', 'NJS-123', 'NJS-500', 'NJS-511', 'NJS-518'])(
    'takes %s for something that passes',
    (code) => {
      expect(toStoreError('claim_batch', failure(code))).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: true,
      });
    },
  );

  it('takes what has no code of Oracle for something that passes', () => {
    expect(toStoreError('claim_batch', failure('ECONNRESET'))).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(toStoreError('claim_batch', failure())).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('keeps the cause and names the operation, and lets an error of the queue through as it is', () => {
    const cause = failure('ORA-00060');
    const error = toStoreError('claim_batch', cause);
    expect(error.cause).toBe(cause);
    expect(error.message).toBe('dispatch queue: claim_batch failed: failed');
    expect(toStoreError('other', error)).toBe(error);
  });
});
