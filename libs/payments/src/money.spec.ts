import { Amount, Currency, formatAmount, minorUnitDigits } from './money.js';

describe('minor units', () => {
  test.each([
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
  ])('%s has %i digits behind the point', (code, digits) => {
    expect(minorUnitDigits(Currency.parse(code))).toBe(digits);
  });

  test.each([
    [{ minorUnits: 123456, currency: 'USD' }, '1234.56 USD'],
    [{ minorUnits: 5, currency: 'USD' }, '0.05 USD'],
    [{ minorUnits: 500, currency: 'JPY' }, '500 JPY'],
    [{ minorUnits: 1, currency: 'KWD' }, '0.001 KWD'],
    [{ minorUnits: 1e15, currency: 'EUR' }, '10000000000000.00 EUR'],
  ])('%j reads %s', (amount, text) => {
    expect(formatAmount(Amount.parse(amount))).toBe(text);
  });
});
