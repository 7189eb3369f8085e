import type { PaymentRequest, Rail } from '../request.js';
import { nextOpenInstant, type RailCalendar } from './rail-calendar.js';

/** A request with what the system adds to it before the rules look at it. */
export interface EnrichedPayment {
  readonly request: PaymentRequest;
  readonly receivedAt: Date;
  /** The instant asked for, or the one it came in if none was asked for or that has passed. */
  readonly wantedAt: Date;
  /** When it is to run: `wantedAt`, or the next opening of the rail if that is closed then. */
  readonly executeAt: Date;
}

/** A rail without a calendar is always open. */
export type RailCalendars = Readonly<Partial<Record<Rail, RailCalendar>>>;

export function enrichRequest(
  request: PaymentRequest,
  receivedAt: Date,
  calendars: RailCalendars = {},
): EnrichedPayment {
  const asked = request.executeAt === undefined ? receivedAt : new Date(request.executeAt);
  const wantedAt = asked < receivedAt ? receivedAt : asked;
  const calendar = calendars[request.rail];
  const executeAt = calendar === undefined ? wantedAt : nextOpenInstant(calendar, wantedAt);
  return { request, receivedAt, wantedAt, executeAt };
}
