import { hasAbaCheckDigit, hasIbanCheckDigits, WireAccount } from './destination.js';

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

describe('IBAN', () => {
  test.each([
    'DE89370400440532013000',
    'GB29NWBK60161331926819',
    'MT84MALT011000012345MTLCAST001S',
    'NO9386011117947',
  ])('takes %s', (iban) => {
    expect(hasIbanCheckDigits(iban)).toBe(true);
  });

  test.each([
    'DE88370400440532013000',
    'DE89370400440532013001',
    'de89370400440532013000',
    'DE89 3704 0044 0532 0130 00',
    'DE89',
    '',
  ])('refuses %j', (iban) => {
    expect(hasIbanCheckDigits(iban)).toBe(false);
  });

  test('finds every change of one digit', () => {
    const iban = 'DE89370400440532013000';
    for (let i = 2; i < iban.length; i += 1) {
      const other = String((Number(iban[i]) + 1) % 10);
      expect(hasIbanCheckDigits(iban.slice(0, i) + other + iban.slice(i + 1))).toBe(false);
    }
  });
});

describe('BIC', () => {
  const takes = (bic: string) => WireAccount.safeParse({ bic, accountNumber: '1' }).success;

  test.each(['CHASUS33', 'DEUTDEFF500'])('takes %s', (bic) => expect(takes(bic)).toBe(true));

  test.each(['CHASUS3', 'chasus33', 'CHAS0033', 'DEUTDEFF50', 'DEUTDEFF5000'])('refuses %s', (bic) =>
    expect(takes(bic)).toBe(false),
  );
});
