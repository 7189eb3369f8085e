import { z } from 'zod';

// ISO 4217, active codes that money can be sent in, by the number of digits of the minor unit. Codes without a
// minor unit of their own (metals, testing, funds) are left out.
const byMinorDigits = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC ' +
    'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR ' +
    'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD ' +
    'NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
    'SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
} as const;

const minorDigits: ReadonlyMap<string, number> = new Map(
  Object.entries(byMinorDigits).flatMap(([digits, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(digits)]),
  ),
);

/** An active ISO 4217 currency code. */
export const Currency = z
  .string()
  .refine((code) => minorDigits.has(code), 'an active ISO 4217 currency code of three capital letters')
  .brand<'Currency'>();
export type Currency = z.infer<typeof Currency>;

/** Money as whole minor units (cents, yen, fils) with its currency; never a fraction, never a bare number. */
export const Amount = z.strictObject({
  minorUnits: z.int().min(1).max(1e15),
  currency: Currency,
});
export type Amount = z.infer<typeof Amount>;

/** How many digits of `minorUnits` stand behind the decimal point: 2 for USD, 0 for JPY, 3 for KWD. */
export function minorUnitDigits(currency: Currency): number {
  const digits = minorDigits.get(currency);
  if (digits === undefined) throw new RangeError(`no ISO 4217 minor unit is known for ${currency}`);
  return digits;
}

/** For people: `{ minorUnits: 123456, currency: 'USD' }` reads `1234.56 USD`. */
export function formatAmount({ minorUnits, currency }: Amount): string {
  const digits = minorUnitDigits(currency);
  const text = String(minorUnits).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return digits === 0 ? `${whole} ${currency}` : `${whole}.${text.slice(-digits)} ${currency}`;
}
