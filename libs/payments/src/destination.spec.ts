import { hasAbaCheckDigit, WireAccount } from './destination.js';

describe('ABA routing number', () => {
  test.each(['021000021', '011401533', '091000019'])('takes %s', (number) => {
    expect(hasAbaCheckDigit(number)).toBe(true);
  });

  test.each(['021000022', '120000021', '000000000', '02100002', '0210000210', '02100002a'])(
    'refuses %s',
    (number) => {
      expect(hasAbaCheckDigit(number)).toBe(false);
    },
  );
});

describe('BIC', () => {
  const takes = (bic: string) => WireAccount.safeParse({ bic, accountNumber: '1' }).success;

  test.each(['CHASUS33', 'DEUTDEFF500'])('takes %s', (bic) => expect(takes(bic)).toBe(true));

  test.each(['CHASUS3', 'chasus33', 'CHAS0033', 'DEUTDEFF50', 'DEUTDEFF5000'])('refuses %s', (bic) =>
    expect(takes(bic)).toBe(false),
  );
});
