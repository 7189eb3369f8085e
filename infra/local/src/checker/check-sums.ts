export interface CurrencySum {
  readonly currency: string;
  /** Minor units in decimal digits: a million large amounts exceed what a number holds exactly. */
  readonly accepted: string;
  readonly executed: string;
}

interface Money {
  readonly minorUnits: number;
  readonly currency: string;
}

/** What went in and what went out, by currency, in alphabetical order. */
export function sumByCurrency(accepted: Iterable<Money>, executed: Iterable<Money>): CurrencySum[] {
  const amountIn = totals(accepted);
  const amountOut = totals(executed);
  return [...new Set([...amountIn.keys(), ...amountOut.keys()])].sort().map((currency) => ({
    currency,
    accepted: String(amountIn.get(currency) ?? 0n),
    executed: String(amountOut.get(currency) ?? 0n),
  }));
}

function totals(amounts: Iterable<Money>): Map<string, bigint> {
  const byCurrency = new Map<string, bigint>();
  for (const { currency, minorUnits } of amounts) {
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0n) + BigInt(minorUnits));
  }
  return byCurrency;
}
