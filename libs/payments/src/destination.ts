import { z } from 'zod';
import { hasIbanCheckDigits, hasSepaLength } from './iban.js';

/** ABA routing number: nine digits whose weighted sum (3, 7, 1 repeated) is a multiple of ten. */
export function hasAbaCheckDigit(routingNumber: string): boolean {
  if (!/^\d{9}$/.test(routingNumber)) return false;
  const weights = [3, 7, 1];
  const sum = [...routingNumber].reduce(
    (total, digit, i) => total + Number(digit) * (weights[i % 3] ?? 0),
    0,
  );
  return sum > 0 && sum % 10 === 0;
}

/** An account at a bank in the United States; ACH and RTP use it. The 17 characters are Nacha's limit. */
export const UsAccount = z.strictObject({
  routingNumber: z.string().refine(hasAbaCheckDigit, 'nine digits with a valid ABA check digit'),
  accountNumber: z.string().regex(/^[A-Za-z0-9-]{1,17}$/, '1 to 17 letters, digits or hyphens'),
});

export const WireAccount = z.strictObject({
  bic: z
    .string()
    .regex(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'a BIC of 8 or 11 capital letters and digits'),
  accountNumber: z.string().regex(/^[A-Za-z0-9-]{1,34}$/, '1 to 34 letters, digits or hyphens'),
});

export const SepaAccount = z.strictObject({
  iban: z
    .string()
    .refine(
      (iban) => hasIbanCheckDigits(iban) && hasSepaLength(iban),
      'an IBAN of a SEPA country in capitals, without spaces, with its length and valid check digits',
    ),
});
