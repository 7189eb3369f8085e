import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentId } from '../../identifiers.js';
import type { Queryable } from '../../store.js';
import type { Admission, AdmissionPolicy, Admissions, Limit, LookAlike, Usage } from '../admission.js';
import { judgePayments, type Candidate, type Memory } from '../judge-payments.js';
import { likenessOf } from '../likeness.js';
import { zonedTime } from '../zoned-time.js';
import {
  FlagRow,
  LimitRow,
  LookAlikeRow,
  ReservationRow,
  StoredLimitRow,
  UsageRow,
} from './admission-rows.js';

/** What the rules remember, in PostgreSQL. Every statement is over all payments at once. */
export function createPgAdmissions(policy: AdmissionPolicy): Admissions {
  const sql = loadStatements();
  return {
    async admit(db, payments) {
      const candidates = payments.map((payment): Account => toAccount(payment, policy));
      const limited = await limitsOf(db, sql, candidates);
      const remembering = policy.duplicates.action === 'off' ? [] : candidates;
      const stored = await lockLookAlikes(db, sql, remembering);
      const memory: Memory = { ...limited, lookAlikes: othersAmong(stored, candidates) };
      const admissions = judgePayments(candidates, memory, policy.duplicates);
      await keepLimits(db, sql, { candidates, admissions, memory });
      if (remembering.length > 0) await keepLookAlikes(db, sql, { admissions, memory, stored });
      return admissions;
    },

    async release(db, paymentIds) {
      if (paymentIds.length > 0) await db.query(sql.releaseLimits, [paymentIds]);
    },

    async setLimit(db, { participantId, currency, limit, by }) {
      const { perPaymentMinorUnits, perDayMinorUnits, perDayPayments } = limit;
      const amounts = [perPaymentMinorUnits, perDayMinorUnits].map((amount) => amount?.toString() ?? null);
      await db.query(sql.setLimit, [participantId, currency, ...amounts, perDayPayments, by]);
    },

    async listLimits(db, participantId) {
      const { rows } = await db.query(sql.listLimits, [participantId]);
      return rows.map((row) => StoredLimitRow.parse(row));
    },

    async listFlags(db, paymentId) {
      const { rows } = await db.query(sql.listFlags, [paymentId]);
      return rows.map((row) => FlagRow.parse(row));
    },

    async forgetLookAlikes(db, before, atMost) {
      const { rows } = await db.query(sql.forgetLookAlikes, [before, atMost]);
      return rows.length;
    },
  };
}

interface Account extends Candidate {
  readonly day: string;
}

function toAccount(payment: Candidate['payment'], { timeZone }: AdmissionPolicy): Account {
  const { participantId, amount } = payment.request;
  const day = zonedTime(payment.executeAt, timeZone).date;
  const accountKey = keyOf(participantId, amount.currency, day);
  return { payment, day, accountKey, likeness: likenessOf(payment.request) };
}

const keyOf = (participantId: string, currency: string, day: string) => `${participantId}/${currency}/${day}`;

type Statements = ReturnType<typeof loadStatements>;

/** Limits, and for the days of those that have a daily one the usage, locked. Without limits nothing is locked. */
async function limitsOf(db: Queryable, sql: Statements, candidates: readonly Account[]) {
  const accounts = unique(candidates, ({ accountKey }) => accountKey);
  const named = unique(accounts, ({ payment: { request } }) =>
    keyOf(request.participantId, request.amount.currency, ''),
  );
  const found = await db.query(sql.findLimits, [
    named.map(({ payment }) => payment.request.participantId),
    named.map(({ payment }) => payment.request.amount.currency),
  ]);
  const byName = new Map(
    found.rows
      .map((row) => LimitRow.parse(row))
      .map(({ participantId, currency, limit }) => [keyOf(participantId, currency, ''), limit]),
  );
  const limits = new Map<string, Limit>();
  for (const {
    accountKey,
    payment: { request },
  } of accounts) {
    const limit = byName.get(keyOf(request.participantId, request.amount.currency, ''));
    if (limit !== undefined) limits.set(accountKey, limit);
  }
  const daily = accounts.filter(({ accountKey }) => hasDaily(limits.get(accountKey)));
  const usage = new Map<string, Usage>();
  if (daily.length === 0) return { limits, usage, admitted: new Set<PaymentId>() };

  const columns = [
    daily.map(({ payment }) => payment.request.participantId),
    daily.map(({ payment }) => payment.request.amount.currency),
    daily.map(({ day }) => day),
  ];
  await db.query(sql.openLimitUsage, columns);
  for (const row of (await db.query(sql.lockLimitUsage, columns)).rows) {
    const { participant_id, currency, day, minor_units, payments } = UsageRow.parse(row);
    usage.set(keyOf(participant_id, currency, day), { minorUnits: minor_units, payments });
  }
  // Read behind the lock: only then is a reservation seen that another session made for the same payment meanwhile.
  const ids = candidates.map(({ payment }) => payment.request.paymentId);
  const reserved = await db.query(sql.findReservations, [ids]);
  return {
    limits,
    usage,
    admitted: new Set(reserved.rows.map((row) => ReservationRow.parse(row).payment_id)),
  };
}

function hasDaily(limit: Limit | undefined): boolean {
  return limit !== undefined && (limit.perDayMinorUnits !== null || limit.perDayPayments !== null);
}

type StoredLookAlikes = ReadonlyMap<string, LookAlike & { readonly ended: boolean }>;

async function lockLookAlikes(
  db: Queryable,
  sql: Statements,
  candidates: readonly Account[],
): Promise<StoredLookAlikes> {
  // The first payment of a likeness is what a new row begins with.
  const firsts = unique(candidates.toReversed(), ({ likeness }) => likeness);
  if (firsts.length === 0) return new Map();
  const keys = firsts.map(({ likeness }) => likeness);
  const ids = firsts.map(({ payment }) => payment.request.paymentId);
  await db.query(sql.openLookAlikes, [keys, ids, firsts.map(({ payment }) => payment.receivedAt)]);
  const { rows } = await db.query(sql.lockLookAlikes, [keys]);
  return new Map(
    rows
      .map((row) => LookAlikeRow.parse(row))
      .map(({ likeness, payment_id, received_at, ended }) => [
        likeness,
        { paymentId: payment_id, receivedAt: received_at, ended },
      ]),
  );
}

/** Payments that are judged now find each other as they are taken; only those before them are known from the start. */
function othersAmong(stored: StoredLookAlikes, candidates: readonly Account[]): Map<string, LookAlike> {
  const judged = new Set<string>(candidates.map(({ payment }) => payment.request.paymentId));
  return new Map([...stored].filter(([, { paymentId, ended }]) => !ended && !judged.has(paymentId)));
}

interface Judged {
  readonly candidates: readonly Account[];
  readonly admissions: readonly Admission[];
  readonly memory: Memory;
}

async function keepLimits(db: Queryable, sql: Statements, judged: Judged): Promise<void> {
  const { candidates, admissions, memory } = judged;
  const reserving = candidates.filter(
    ({ accountKey }, i) => admissions[i]?.kind === 'admitted' && hasDaily(memory.limits.get(accountKey)),
  );
  if (reserving.length === 0) return;
  await db.query(sql.reserveLimits, [
    reserving.map(({ payment }) => payment.request.paymentId),
    reserving.map(({ payment }) => payment.request.participantId),
    reserving.map(({ payment }) => payment.request.amount.currency),
    reserving.map(({ day }) => day),
    reserving.map(({ payment }) => payment.request.amount.minorUnits),
  ]);
}

interface Remembered extends Pick<Judged, 'admissions' | 'memory'> {
  readonly stored: StoredLookAlikes;
}

async function keepLookAlikes(db: Queryable, sql: Statements, remembered: Remembered): Promise<void> {
  const { admissions, memory, stored } = remembered;
  const changed = [...memory.lookAlikes].filter(
    ([likeness, { paymentId }]) => stored.get(likeness)?.paymentId !== paymentId,
  );
  if (changed.length > 0) {
    await db.query(sql.keepLookAlikes, [
      changed.map(([likeness]) => likeness),
      changed.map(([, { paymentId }]) => paymentId),
      changed.map(([, { receivedAt }]) => receivedAt),
    ]);
  }
  const flags = admissions.flatMap((admission) =>
    admission.kind === 'refused' ? [] : admission.flags.map((flag) => ({ ...flag, id: admission.paymentId })),
  );
  if (flags.length === 0) return;
  await db.query(sql.flagPayments, [
    flags.map(({ id }) => id),
    flags.map(({ code }) => code),
    flags.map(({ detail }) => detail),
  ]);
}

function unique<T>(items: readonly T[], keyOfItem: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOfItem(item), item])).values()];
}

function loadStatements() {
  const load = (name: string) => readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
  return {
    findLimits: load('find_limits'),
    openLimitUsage: load('open_limit_usage'),
    lockLimitUsage: load('lock_limit_usage'),
    findReservations: load('find_reservations'),
    reserveLimits: load('reserve_limits'),
    releaseLimits: load('release_limits'),
    openLookAlikes: load('open_look_alikes'),
    lockLookAlikes: load('lock_look_alikes'),
    keepLookAlikes: load('keep_look_alikes'),
    forgetLookAlikes: load('forget_look_alikes'),
    flagPayments: load('flag_payments'),
    listFlags: load('list_flags'),
    setLimit: load('set_limit'),
    listLimits: load('list_limits'),
  };
}
