import * as fc from 'fast-check';
import { SepaAccount } from './destination.js';
import { hasIbanCheckDigits, hasSepaLength } from './iban.js';

const takes = (iban: string) => SepaAccount.safeParse({ iban }).success;

/** An IBAN with the check digits that belong to it. */
function ibanOf(country: string, account: string): string {
  for (let digits = 2; digits <= 98; digits += 1) {
    const iban = `${country}${String(digits).padStart(2, '0')}${account}`;
    if (hasIbanCheckDigits(iban)) return iban;
  }
  throw new Error(`no check digits fit ${country} ${account}`);
}

describe('an IBAN', () => {
  test.each([
    'DE89370400440532013000',
    'FR1420041010050500013M02606',
    'GB29NWBK60161331926819',
    'MT84MALT011000012345MTLCAST001S',
    'NO9386011117947',
  ])('such as %s is taken', (iban) => {
    expect(takes(iban)).toBe(true);
  });

  test.each([
    ['a wrong check digit', 'DE88370400440532013000'],
    ['small letters', 'de89370400440532013000'],
    ['blanks', 'DE89 3704 0044 0532 0130 00'],
    ['nothing behind the check digits', 'DE89'],
    ['nothing at all', ''],
  ])('with %s is refused', (_what, iban) => {
    expect(takes(iban)).toBe(false);
  });

  test('of a country outside of SEPA is refused, however right it is', () => {
    const brazilian = 'BR1800360305000010009795493C1';
    expect(hasIbanCheckDigits(brazilian)).toBe(true);
    expect(takes(brazilian)).toBe(false);
  });

  test('one digit too long or too short for its country is refused, also with the check digits for it', () => {
    const account = '370400440532013000';
    expect(takes(ibanOf('DE', account))).toBe(true);
    expect(takes(ibanOf('DE', `${account}0`))).toBe(false);
    expect(takes(ibanOf('DE', account.slice(1)))).toBe(false);
    expect(hasSepaLength('XX')).toBe(false);
  });

  test('with one digit changed, or two neighbours swapped, is refused', () => {
    const place = fc.integer({ min: 4, max: 20 });
    fc.assert(
      fc.property(fc.stringMatching(/^\d{18}$/), place, fc.integer({ min: 1, max: 9 }), (account, at, by) => {
        const iban = ibanOf('DE', account);
        const digit = Number(iban[at]);
        expect(takes(iban.slice(0, at) + String((digit + by) % 10) + iban.slice(at + 1))).toBe(false);
        const swapped = iban.slice(0, at) + iban.charAt(at + 1) + iban.charAt(at) + iban.slice(at + 2);
        if (swapped !== iban) expect(takes(swapped)).toBe(false);
      }),
    );
  });
});
