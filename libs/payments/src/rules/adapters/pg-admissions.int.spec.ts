import { Pool } from 'pg';
import { ParticipantId } from '../../identifiers.js';
import { PaymentRequest } from '../../request.js';
import { createPgPayments } from '../../adapters/pg-payments.js';
import { fingerprintOf } from '../../fingerprint.js';
import type { AdmissionPolicy, Limit } from '../admission.js';
import { enrichRequest, type EnrichedPayment } from '../enrich-request.js';
import { createPgAdmissions } from './pg-admissions.js';

const pool = new Pool({ connectionString: process.env['PG_URL'], max: 10 });
afterAll(() => pool.end());

const receivedAt = new Date('2030-01-15T12:00:00.000Z');
let nextId = 0;

function payment(
  participant: string,
  minorUnits: number,
  changes: Record<string, unknown> = {},
): EnrichedPayment {
  nextId += 1;
  const request = PaymentRequest.parse({
    paymentId: `p-${nextId}`,
    participantId: participant,
    rail: 'ACH',
    amount: { minorUnits, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '1' },
    ...changes,
  });
  return enrichRequest(request, receivedAt);
}

const off: AdmissionPolicy = { timeZone: 'UTC', duplicates: { action: 'off' } };
const noLimit: Limit = { perPaymentMinorUnits: null, perDayMinorUnits: null, perDayPayments: null };

async function setLimit(participant: string, limit: Partial<Limit>): Promise<void> {
  const participantId = participant === '*' ? '*' : ParticipantId.parse(participant);
  const change = { participantId, currency: 'USD', limit: { ...noLimit, ...limit }, by: 'op' } as const;
  await createPgAdmissions(off).setLimit(pool, change);
}

/** Judges in a transaction of its own, as Phase A does. */
async function admit(payments: readonly EnrichedPayment[], policy = off) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const admissions = await createPgAdmissions(policy).admit(client, payments);
    await client.query('COMMIT');
    return admissions;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const verdicts = async (...world: Parameters<typeof admit>) =>
  (await admit(...world)).map((one) => (one.kind === 'refused' ? one.reason.code : one.kind));

describe('limits', () => {
  test('do not hold up a participant that has none', async () => {
    expect(await verdicts([payment('free', 1e12)])).toEqual(['admitted']);
  });

  test('refuse one payment that is too large, and the payments that a day has no room for', async () => {
    await setLimit('daily', { perPaymentMinorUnits: 600n, perDayMinorUnits: 1000n });
    const chunk = [601, 600, 300, 200, 100].map((amount) => payment('daily', amount));
    expect(await verdicts(chunk)).toEqual([
      'PAYMENT_LIMIT_EXCEEDED',
      'admitted',
      'admitted',
      'DAILY_LIMIT_EXCEEDED',
      'admitted',
    ]);
    expect(await verdicts([payment('daily', 1)])).toEqual(['DAILY_LIMIT_EXCEEDED']);
    expect(await verdicts([payment('daily', 1, { executeAt: '2030-01-16T00:00:00Z' })])).toEqual([
      'admitted',
    ]);
  });

  test('count payments, end their day at midnight of their zone, and stand for everybody under a star', async () => {
    await setLimit('*', { perDayPayments: 1 });
    const newYork: AdmissionPolicy = { ...off, timeZone: 'America/New_York' };
    const evening = { executeAt: '2030-01-16T04:59:59Z' };
    const midnight = { executeAt: '2030-01-16T05:00:00Z' };
    expect(await verdicts([payment('anyone', 5, evening), payment('anyone', 5, midnight)], newYork)).toEqual([
      'admitted',
      'admitted',
    ]);
    expect(await verdicts([payment('anyone', 5)], newYork)).toEqual(['DAILY_LIMIT_EXCEEDED']);
    await setLimit('anyone', {});
    expect(await verdicts([payment('anyone', 5)], newYork)).toEqual(['admitted']);
    await pool.query(`DELETE FROM participant_limits WHERE participant_id = '*'`);
  });

  test('count a payment once, however often it is judged, and not at all after its release', async () => {
    await setLimit('again', { perDayMinorUnits: 100n });
    const one = payment('again', 100);
    expect(await verdicts([one])).toEqual(['admitted']);
    expect(await verdicts([one])).toEqual(['admitted']);
    expect(await verdicts([payment('again', 1)])).toEqual(['DAILY_LIMIT_EXCEEDED']);
    const admissions = createPgAdmissions(off);
    await admissions.release(pool, [one.request.paymentId]);
    await admissions.release(pool, [one.request.paymentId]);
    expect(await verdicts([payment('again', 100)])).toEqual(['admitted']);
  });

  test('hold against sixty callers at one moment', async () => {
    await setLimit('race', { perDayMinorUnits: 1000n });
    await setLimit('race-2', { perDayMinorUnits: 1000n });
    const chunks = Array.from({ length: 60 }, (_, i) =>
      (i % 2 === 0 ? ['race', 'race-2'] : ['race-2', 'race']).map((participant) => payment(participant, 70)),
    );
    const outcomes = (await Promise.all(chunks.map((chunk) => verdicts(chunk)))).flat();
    expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(28);
    const { rows } = await pool.query<{ minor_units: string; payments: number }>(
      `SELECT minor_units, payments FROM participant_limit_usage WHERE participant_id IN ('race', 'race-2')`,
    );
    expect(rows).toEqual([
      { minor_units: '980', payments: 14 },
      { minor_units: '980', payments: 14 },
    ]);
  });

  test('leave a trail of who set them, and none where nothing changed', async () => {
    await setLimit('trail', { perDayPayments: 3 });
    await setLimit('trail', { perDayPayments: 3 });
    await setLimit('trail', { perDayPayments: 4 });
    const listed = await createPgAdmissions(off).listLimits(pool, ParticipantId.parse('trail'));
    expect(listed).toMatchObject([{ currency: 'USD', perDayPayments: 4, updatedBy: 'op' }]);
    const { rows } = await pool.query(
      `SELECT per_day_payments, changed_by FROM participant_limit_changes WHERE participant_id = 'trail' ORDER BY change_id`,
    );
    expect(rows).toEqual([
      { per_day_payments: 3, changed_by: 'op' },
      { per_day_payments: 4, changed_by: 'op' },
    ]);
  });
});

describe('duplicate suspicion', () => {
  const policy = (action: 'flag' | 'refuse'): AdmissionPolicy => ({
    ...off,
    duplicates: { action, withinMs: 600_000 },
  });
  const later = ({ request }: EnrichedPayment, ms: number) =>
    enrichRequest(
      { ...request, paymentId: payment('x', 1).request.paymentId },
      new Date(receivedAt.getTime() + ms),
    );

  test('refuses the second of two alike within the span, in one chunk and in two', async () => {
    const first = payment('alike', 10);
    expect(await verdicts([first, later(first, 1000), payment('alike', 11)], policy('refuse'))).toEqual([
      'admitted',
      'DUPLICATE_SUSPECTED',
      'admitted',
    ]);
    expect(await verdicts([later(first, 600_000)], policy('refuse'))).toEqual(['DUPLICATE_SUSPECTED']);
    expect(await verdicts([later(first, 600_001)], policy('refuse'))).toEqual(['admitted']);
  });

  test('flags it instead where that is the policy, and the flag is kept', async () => {
    const first = payment('flagged', 10);
    const second = later(first, 5000);
    await admit([first], policy('flag'));
    const [admission] = await admit([second], policy('flag'));
    expect(admission).toMatchObject({ kind: 'admitted', flags: [{ code: 'DUPLICATE_SUSPECTED' }] });
    const flags = await createPgAdmissions(off).listFlags(pool, second.request.paymentId);
    expect(flags).toEqual([
      {
        code: 'DUPLICATE_SUSPECTED',
        detail: `${first.request.paymentId} has the same participant, amount and destination and came 5 s before`,
      },
    ]);
  });

  test('does not suspect a payment of being its own duplicate when it is judged again', async () => {
    const first = payment('self', 10);
    expect(await verdicts([first], policy('refuse'))).toEqual(['admitted']);
    expect(await verdicts([first], policy('refuse'))).toEqual(['admitted']);
  });

  test('does not count a payment that came to nothing', async () => {
    const first = payment('failed', 10);
    await admit([first], policy('refuse'));
    await createPgPayments().insertRejected(pool, [
      {
        paymentId: first.request.paymentId,
        request: first.request,
        fingerprint: fingerprintOf(first.request),
        reason: { code: 'NO_SLOT', detail: 'none' },
        initWorkflowId: 'w',
      },
    ]);
    expect(await verdicts([later(first, 1000)], policy('refuse'))).toEqual(['admitted']);
  });

  test('lets one of thirty pass that come at one moment', async () => {
    const first = payment('herd', 10);
    const herd = Array.from({ length: 30 }, (_, i) => later(first, i));
    const outcomes = await Promise.all(herd.map((one) => verdicts([one], policy('refuse'))));
    expect(outcomes.flat().filter((outcome) => outcome === 'admitted')).toHaveLength(1);
  });

  test('forgets what no span reaches any more', async () => {
    await admit([payment('old', 10)], policy('flag'));
    const admissions = createPgAdmissions(off);
    const before = new Date(receivedAt.getTime() + 3_600_000);
    expect(await admissions.forgetLookAlikes(pool, before, 2)).toBe(2);
    while ((await admissions.forgetLookAlikes(pool, before, 100)) > 0);
    const { rows } = await pool.query('SELECT 1 FROM payment_look_alikes');
    expect(rows).toEqual([]);
  });
});
