import { burstOf } from './guards.js';

/** Counts a rate: a bucket that fills steadily up to a burst and is emptied by what goes out. */
export interface TokenBucket {
  /** Tokens there are, at the rate that holds now. */
  available(ratePerSecond: number, at: number): number;
  take(count: number): void;
  giveBack(count: number): void;
  /** A new bucket would be no fuller. */
  isFull(at: number): boolean;
}

export function createTokenBucket(ratePerSecond: number, at: number): TokenBucket {
  let tokens = burstOf(ratePerSecond);
  let filledAt = at;
  let lastRate = ratePerSecond;
  return {
    available(rate, now) {
      lastRate = rate;
      tokens = Math.min(burstOf(rate), tokens + ((now - filledAt) * rate) / 1_000);
      filledAt = now;
      return tokens;
    },
    take: (count) => void (tokens = Math.max(0, tokens - count)),
    giveBack: (count) => void (tokens += count),
    isFull: (now) => tokens + ((now - filledAt) * lastRate) / 1_000 >= burstOf(lastRate),
  };
}
