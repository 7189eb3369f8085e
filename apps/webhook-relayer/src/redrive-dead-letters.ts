import type { Headers, IncomingMessage, MessageSink, OutgoingMessage } from './ports.js';

export interface DeadLetterSource {
  /**
   * Hands over letters that were not taken before, oldest first, up to where the topic ended at the call. With `keep` they
   * count as not taken; otherwise a letter counts as taken once it has been handled.
   */
  read(
    options: { readonly limit: number; readonly keep: boolean },
    handle: (letters: readonly IncomingMessage[]) => Promise<void>,
  ): Promise<void>;
}

export interface RedriveOptions {
  readonly source: DeadLetterSource;
  readonly sink: MessageSink;
  /** Where the letters go. */
  readonly topic: string;
  readonly dryRun: boolean;
  /** Only letters of this reason; the others are passed over and count as taken. */
  readonly reason?: string | undefined;
  readonly limit: number;
}

export interface RedriveResult {
  readonly read: number;
  readonly redriven: number;
  readonly byReason: Readonly<Record<string, number>>;
}

/**
 * Sends dead letters back to where they came from, unchanged but for the number of times that this was done. A letter that is
 * still no event comes back as a dead letter; one that was sent twice is stored once, by its id.
 */
export async function redriveDeadLetters(options: RedriveOptions): Promise<RedriveResult> {
  const byReason: Record<string, number> = {};
  let read = 0;
  let redriven = 0;
  await options.source.read({ limit: options.limit, keep: options.dryRun }, async (letters) => {
    const chosen = letters.filter((letter) => {
      const reason = textOf(letter.headers['dlq_reason']) ?? 'UNKNOWN';
      byReason[reason] = (byReason[reason] ?? 0) + 1;
      return options.reason === undefined || options.reason === reason;
    });
    read += letters.length;
    redriven += chosen.length;
    if (!options.dryRun) await options.sink.send(chosen.map((letter) => toMessage(letter, options.topic)));
  });
  return { read, redriven, byReason };
}

const REDRIVES = 'dlq_redrives';

function toMessage({ key, value, headers }: IncomingMessage, topic: string): OutgoingMessage {
  const times = Number(textOf(headers[REDRIVES]) ?? 0) + 1;
  return { topic, key, value, headers: { ...withoutOurs(headers), [REDRIVES]: String(times) } };
}

function withoutOurs(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('dlq_')));
}

function textOf(value: Headers[string]): string | undefined {
  const [first] = [value].flat();
  return first?.toString();
}
