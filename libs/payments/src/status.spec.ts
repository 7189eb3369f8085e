import { canTransition, initialStatuses, paymentStatuses, paymentTransitions } from './status.js';

describe('payment status', () => {
  test('goes from SCHEDULED over ACCEPTED and PROCESSING to SETTLED', () => {
    expect(canTransition('SCHEDULED', 'ACCEPTED')).toBe(true);
    expect(canTransition('ACCEPTED', 'PROCESSING')).toBe(true);
    expect(canTransition('PROCESSING', 'SETTLED')).toBe(true);
  });

  test('is cancelled only before it is accepted', () => {
    expect(paymentStatuses.filter((from) => canTransition(from, 'CANCELLED'))).toEqual(['SCHEDULED']);
  });

  test('is rejected only at the start, so no accepted payment turns into one that never was', () => {
    expect(paymentStatuses.filter((from) => canTransition(from, 'REJECTED'))).toEqual([]);
    expect(initialStatuses).toContain('REJECTED');
  });

  test('never stays where it is and never goes in a circle', () => {
    const reaches = (from: (typeof paymentStatuses)[number]): string[] =>
      paymentTransitions[from].flatMap((to) => [to, ...reaches(to)]);
    for (const status of paymentStatuses) expect(reaches(status)).not.toContain(status);
  });

  test('can be reached, every one', () => {
    const targets = Object.values(paymentTransitions).flat();
    expect(new Set<string>([...initialStatuses, ...targets])).toEqual(new Set(paymentStatuses));
  });
});
