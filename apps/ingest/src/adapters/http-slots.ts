import { Agent, request } from 'undici';
import { z } from 'zod';
import { reasonOf } from '@sluice/payments';
import { SlotsUnavailableError } from '../errors.js';
import type { SlotAnswer, Slots, SlotWish } from '../ports.js';

interface Options {
  readonly url: string;
  readonly key: string | undefined;
  readonly configName: string;
  /** Over the whole exchange: connecting, waiting, reading. */
  readonly timeoutMs: number;
  readonly observe: (outcome: 'answered' | 'failed', seconds: number) => void;
}

const mostAnswerBytes = 1_000_000;

const Answer = z.object({
  slots: z.array(
    z.union([
      z.object({ eventId: z.string(), scheduledTime: z.iso.datetime({ offset: true }) }),
      z.object({ eventId: z.string(), problem: z.object({ code: z.string(), detail: z.string() }) }),
    ]),
  ),
});
type Slot = z.infer<typeof Answer>['slots'][number];

/** slot-assigner over HTTP. The payment's id is the event's id, so that a repeated request finds its first slot. */
export function httpSlots(options: Options): Slots & { close(): Promise<void> } {
  const agent = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 10_000 });

  async function post(wishes: readonly SlotWish[]): Promise<unknown> {
    const { statusCode, body } = await request(`${options.url}/api/v1/slots/batch`, {
      dispatcher: agent,
      method: 'POST',
      signal: AbortSignal.timeout(options.timeoutMs),
      headers: {
        'content-type': 'application/json',
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      },
      body: JSON.stringify({
        configName: options.configName,
        events: wishes.map(({ paymentId, requestedTime }) => ({ eventId: paymentId, requestedTime })),
      }),
    });
    const text = await readText(body);
    if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  return {
    close: () => agent.close(),

    async assign(wishes) {
      const startedAt = performance.now();
      const finish = (outcome: 'answered' | 'failed') =>
        options.observe(outcome, (performance.now() - startedAt) / 1000);
      try {
        const { slots } = Answer.parse(await post(wishes));
        if (slots.length !== wishes.length)
          throw new Error(`${slots.length} slots for ${wishes.length} payments`);
        const answers = wishes.map((wish, i) => readSlot(wish, slots[i]));
        finish('answered');
        return answers;
      } catch (cause) {
        finish('failed');
        const detail = cause instanceof Error ? cause.message : String(cause);
        throw new SlotsUnavailableError(`slot-assigner at ${options.url} gave no usable answer: ${detail}`, {
          cause,
        });
      }
    },
  };
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > mostAnswerBytes) throw new Error(`the answer is longer than ${mostAnswerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function readSlot({ paymentId }: SlotWish, slot: Slot | undefined): SlotAnswer {
  if (slot?.eventId !== paymentId)
    throw new Error(`the answers are not in order: expected the slot of ${paymentId}`);
  if ('scheduledTime' in slot) return { kind: 'assigned', paymentId, scheduledTime: slot.scheduledTime };
  return {
    kind: 'refused',
    paymentId,
    reason: reasonOf('NO_SLOT', `${slot.problem.code}: ${slot.problem.detail}`),
  };
}
