import { z } from 'zod';
import { rails } from '@sluice/payments';
import type { Rail } from '@sluice/payments';
import {
  hostPort,
  httpUrl,
  postgresUrl,
  secondsAsMs,
  serviceVariables,
  text,
  textList,
  wholeNumber,
} from '@sluice/service-kit';

const railVariables = {
  SLUICE_RAIL_URL: httpUrl().describe('Rail gateway'),
  SLUICE_RAIL_TIMEOUT_SECONDS: secondsAsMs({ min: 0.1, max: 120 })
    .default(10_000)
    .describe('Longest wait for the whole answer of the rail gateway'),
  SLUICE_RAIL_MAX_ATTEMPTS: wholeNumber({ min: 1, max: 100_000 })
    .default(200)
    .describe('After so many attempts a failing instruction becomes a dead letter, an unclear one IN_DOUBT'),
  SLUICE_RAIL_CONCURRENCY: textList({
    pattern: new RegExp(`^(?:${rails.join('|')})=[1-9]\\d{0,2}$`),
    expected: `<rail>=<1..999>, or several with commas between; rails are ${rails.join(', ')}`,
  })
    .default(rails.map((rail) => `${rail}=16`))
    .describe('Participants that are sent for at the same time on one rail'),
  SLUICE_CIRCUIT_FAILURES: wholeNumber({ min: 1, max: 1000 })
    .default(5)
    .describe('Failures of a rail in a row that open its circuit'),
  SLUICE_CIRCUIT_OPEN_SECONDS: secondsAsMs({ min: 0.1, max: 600 })
    .default(2_000)
    .describe('First pause of an open circuit; each failed probe doubles it'),
  SLUICE_CIRCUIT_MAX_OPEN_SECONDS: secondsAsMs({ min: 0.1, max: 3600 })
    .default(30_000)
    .describe('Longest pause of an open circuit'),
  SLUICE_CIRCUIT_PROBES: wholeNumber({ min: 1, max: 100 })
    .default(3)
    .describe('Calls that an open circuit lets through to find out whether the rail is back'),
};

const relayVariables = {
  SLUICE_RELAY_CONCURRENCY: wholeNumber({ min: 1, max: 1000 })
    .default(32)
    .describe('Participants that are sent for at the same time, over all rails'),
  SLUICE_RELAY_POLL_SECONDS: secondsAsMs({ min: 0.05, max: 60 })
    .default(500)
    .describe('Longest time until the relay looks for work by itself'),
  SLUICE_LEASE_SECONDS: wholeNumber({ min: 3, max: 600 })
    .default(30)
    .describe('How long a claimed instruction is safe from other relays without a renewal'),
  SLUICE_REAP_SECONDS: secondsAsMs({ min: 0.1, max: 600 })
    .default(5000)
    .describe('Time between two searches for leases that ran out'),
  SLUICE_ATTEMPTS_KEEP_MONTHS: wholeNumber({ min: 0, max: 240 })
    .default(0)
    .describe('Whole months after which attempts are dropped; 0 keeps them for ever'),
};

export const environment = z.object({
  ...serviceVariables({ httpPort: 3003, opsPort: 3103 }),
  PG_URL: postgresUrl().describe('Database of payments and outbox; a direct connection, for LISTEN'),
  TEMPORAL_ADDRESS: hostPort().describe('Temporal frontend'),
  TEMPORAL_NAMESPACE: text().default('default').describe('Namespace of the exec workflows'),
  SLUICE_TASK_QUEUE: text()
    .default('payment-exec-task-queue')
    .describe('Task queue of `PaymentExecWorkflow`'),
  ...railVariables,
  ...relayVariables,
});

export type Config = z.infer<typeof environment>;

const standardRailConcurrency = 16;

/** `['ACH=8', 'RTP=32']` as numbers by rail; a rail that is not named has the standard. */
export function concurrencyByRail(entries: readonly string[]): Record<Rail, number> {
  const numbers: Record<string, number> = {};
  for (const entry of entries) {
    const [rail = '', number] = entry.split('=');
    numbers[rail] = Number(number);
  }
  const of = (rail: Rail): number => numbers[rail] ?? standardRailConcurrency;
  return { ACH: of('ACH'), WIRE: of('WIRE'), RTP: of('RTP'), SEPA: of('SEPA') };
}
