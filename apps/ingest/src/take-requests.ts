import type { Logger } from '@sluice/service-kit';
import type { AcceptPayments } from './accept-payments.js';
import type { Metrics } from './metrics.js';
import {
  readRequestMessage,
  type DeadLetterReason,
  type HeaderValue,
  type IncomingMessage,
  type ReadMessage,
} from './request-message.js';
import { traceOf } from './trace.js';

export interface OutgoingMessage {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
}

/** The topic of messages that were set aside. Resolves when the brokers have them. */
export interface DeadLetters {
  send(messages: readonly OutgoingMessage[]): Promise<void>;
}

/** done: the messages need not come again. later: the same messages must come again, after a rest. */
export type Taking = { readonly kind: 'done' } | { readonly kind: 'later'; readonly cause: unknown };

/** Takes messages of one partition in their order, up to a chunk. Throws as it answers `later`: nothing was promised. */
export type TakeRequests = (messages: readonly IncomingMessage[]) => Promise<Taking>;

interface Parts {
  readonly acceptPayments: AcceptPayments;
  readonly deadLetters: DeadLetters;
  readonly metrics: Pick<Metrics, 'deadLetters'>;
  readonly log: Logger;
  readonly randomBytes: (size: number) => Buffer;
}

interface Dead {
  readonly message: IncomingMessage;
  readonly reason: DeadLetterReason;
  readonly detail: string;
}

/**
 * Payments out of messages. The same messages are the same run, whatever died in between; what can be no payment is set
 * aside with its reason before the offset moves on.
 */
export function createTakeRequests(parts: Parts): TakeRequests {
  return async (messages) => {
    const read = messages.map((message) => ({ message, content: readRequestMessage(message) }));
    const dead = read.flatMap(({ message, content }): Dead[] =>
      content.kind === 'dead' ? [{ message, reason: content.reason, detail: content.detail }] : [],
    );
    const requests = read.filter(isRequest);
    const arrivals = requests.map(({ message, content: { request, traceparent } }) => ({
      request,
      traceparent: traceOf(traceparent, parts.randomBytes),
      sentBy: placeOf(message),
    }));
    if (arrivals.length > 0) {
      const acceptances = await parts.acceptPayments(arrivals, {
        intake: 'kafka',
        sentBy: nameRun(messages),
        workflowId: nameRun(messages),
      });
      for (const [i, acceptance] of acceptances.entries()) {
        const message = requests[i]?.message;
        if (acceptance.kind === 'unavailable') return { kind: 'later', cause: acceptance.cause };
        if (acceptance.kind !== 'conflict' || message === undefined) continue;
        const detail = `another payment has the id ${arrivals[i]?.request.paymentId}`;
        dead.push({ message, reason: 'PAYMENT_CONFLICT', detail });
      }
    }
    await setAside(dead, parts);
    return { kind: 'done' };
  };
}

async function setAside(dead: readonly Dead[], { deadLetters, metrics, log }: Parts): Promise<void> {
  if (dead.length === 0) return;
  await deadLetters.send(dead.map(toDeadLetter));
  for (const { message, reason, detail } of dead) {
    metrics.deadLetters(reason);
    log.warn({ place: placeOf(message), reason, detail }, 'a message became a dead letter');
  }
}

/** The message as it was, with the reason and its origin added to its headers. */
function toDeadLetter({ message, reason, detail }: Dead): OutgoingMessage {
  return {
    key: message.key,
    value: message.value,
    headers: {
      ...message.headers,
      dlq_reason: reason,
      dlq_detail: detail,
      dlq_source_topic: message.topic,
      dlq_source_partition: String(message.partition),
      dlq_source_offset: message.offset,
    },
  };
}

function isRequest(one: {
  message: IncomingMessage;
  content: ReadMessage;
}): one is { message: IncomingMessage; content: Extract<ReadMessage, { kind: 'request' }> } {
  return one.content.kind === 'request';
}

function placeOf({ topic, partition, offset }: IncomingMessage): string {
  return `${topic}/${partition}/${offset}`;
}

function nameRun(messages: readonly IncomingMessage[]): string {
  const [first, last] = [messages[0], messages.at(-1)];
  return `init-kafka-${first?.topic}-${first?.partition}-${first?.offset}-${last?.offset}`;
}
