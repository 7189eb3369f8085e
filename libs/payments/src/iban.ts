// The IBAN's length in every country and territory of the SEPA scheme (IBAN registry, EPC list of SEPA countries).
// Overseas territories and Crown dependencies use the code of their mother country.
const lengths: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AL28 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GI23 GR27 HR21 HU28 IE22 IS26 IT27 ' +
    'LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PL28 PT25 RO24 RS22 SE24 SI19 SK24 SM27 VA22'
  )
    .split(' ')
    .map((entry): [string, number] => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Whether the country takes part in SEPA and the IBAN is as long as that country's IBANs are. */
export function hasSepaLength(iban: string): boolean {
  return lengths.get(iban.slice(0, 2)) === iban.length;
}

/** ISO 13616: the first four characters go to the end, letters count from 10 (A) to 35 (Z), the rest by 97 is 1. */
export function hasIbanCheckDigits(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of String(Number.parseInt(character, 36)))
      remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder === 1;
}
