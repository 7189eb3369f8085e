import type { Verdict } from './check-run.js';

const maxExamples = 5;

/** A few lines for people: the counts, and for each kind of violation the first few cases. */
export function describeVerdict(verdict: Verdict): string {
  const { notices } = verdict;
  const told =
    notices === undefined ? '' : `, ${notices.notified} notified (${notices.repeated} webhooks repeated)`;
  const lines = [
    `${verdict.ok ? 'OK' : 'VIOLATED'}: ${verdict.accepted} accepted, ${verdict.executed} executed${told}; ` +
      `${verdict.lost.length} lost, ${verdict.doubled.length} doubled, ${verdict.uninvited.length} uninvited, ` +
      `${verdict.altered.length} altered, ${verdict.disorder.length} out of order`,
    ...verdict.sums.map(
      ({ currency, accepted, executed }) =>
        `${currency}: ${accepted} minor units accepted, ${executed} executed${accepted === executed ? '' : ' (DIFFERENT)'}`,
    ),
    ...examples('lost', verdict.lost),
    ...examples(
      'doubled',
      verdict.doubled.map(({ paymentId, references }) => `${paymentId} (${references.join(', ')})`),
    ),
    ...examples(
      'uninvited',
      verdict.uninvited.map(({ paymentId, reference }) => `${paymentId} (${reference})`),
    ),
    ...examples(
      'altered',
      verdict.altered.map((one) => `${one.paymentId} ${one.field} ${one.accepted} became ${one.executed}`),
    ),
    ...examples(
      'out of order',
      verdict.disorder.map((one) => `${one.participantId} ${one.kind}: ${one.found} after ${one.after}`),
    ),
    ...examples('accepted twice with other content', verdict.contradicted),
    ...examples('not notified', notices?.notNotified ?? []),
  ];
  return lines.join('\n');
}

function examples(label: string, cases: readonly string[]): string[] {
  if (cases.length === 0) return [];
  const more = cases.length > maxExamples ? ` and ${cases.length - maxExamples} more` : '';
  return [`${label}: ${cases.slice(0, maxExamples).join('; ')}${more}`];
}
