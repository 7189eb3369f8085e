import { validateRequest } from '@sluice/payments';
import { ProblemError } from '@sluice/service-kit/http';
import type { Acceptance, AcceptPayments, Arrival } from './accept-payments.js';
import { mostPaymentsPerRun } from './phase-a.js';
import { chunksOf, linesOf, type Line } from './ndjson.js';

interface Counts {
  /** Lines that are settled, from the first one on: an upload can go on behind them. */
  readonly lines: number;
  readonly accepted: number;
  readonly repeated: number;
  readonly refused: number;
}

/** What the caller is told, as it happens. The last line is `done` or `stopped`. */
export type UploadReport =
  | {
      readonly kind: 'refused';
      readonly line: number;
      readonly paymentId?: string;
      readonly code: string;
      readonly detail: string;
    }
  | ({ readonly kind: 'progress' | 'done' } & Counts)
  | ({ readonly kind: 'stopped'; readonly code: string; readonly detail: string } & Counts);

export interface Upload {
  readonly bytes: AsyncIterable<Buffer>;
  readonly callerId: string;
  readonly traceparent: string;
}

export type UploadPayments = (upload: Upload) => AsyncGenerator<UploadReport>;

interface Parts {
  readonly acceptPayments: AcceptPayments;
  /** Aborts when the service stops; what is being settled then is settled still. */
  readonly stopping: AbortSignal;
  /** False when there is no time left to try again. */
  readonly rest: (attempt: number) => Promise<boolean>;
}

/** Chunks that are settled at the same time; the next one is not read before there is room. */
const parallel = 4;
const progressEvery = 2000;
// A caller may not read before it has sent everything, so all that is said must fit into memory: about 2 MB.
const mostRefusals = 10_000;

type Refusal = Extract<UploadReport, { kind: 'refused' }>;

interface Settled extends Counts {
  readonly refusals: readonly Refusal[];
  readonly isAway: boolean;
}

/** Takes in payments of any number, one a line. Safe to repeat as a whole or from any line on. */
export function createUploadPayments({ acceptPayments, stopping, rest }: Parts): UploadPayments {
  async function settle(lines: readonly Line[], upload: Upload): Promise<Settled> {
    const { arrivals, refusals } = readLines(lines, upload.traceparent);
    const delivery = { intake: 'upload', sentBy: upload.callerId } as const;
    for (let attempt = 1; ; attempt += 1) {
      const requests = arrivals.map(({ arrival }) => arrival);
      const acceptances = requests.length === 0 ? [] : await acceptPayments(requests, delivery);
      if (!acceptances.some(isUnavailable)) return sum(lines, refusals, { arrivals, acceptances });
      if (!(await rest(attempt)))
        return { lines: 0, accepted: 0, repeated: 0, refused: 0, refusals: [], isAway: true };
    }
  }

  return async function* upload(given) {
    const told = new Tally();
    const inFlight: Promise<Settled>[] = [];
    try {
      for await (const chunk of chunksOf(linesOf(given.bytes), mostPaymentsPerRun, stopping)) {
        inFlight.push(settle(chunk, given));
        if (inFlight.length < parallel) continue;
        yield* told.add(await inFlight.shift());
        if (told.isOver) return;
      }
    } catch (error) {
      // The caller stopped sending: what came before is settled, and it is told where to go on.
      if (!(error instanceof ProblemError)) throw error;
      told.stopBecause(error.code, error.problem.detail);
    } finally {
      await Promise.all(inFlight);
    }
    for (const settled of inFlight) {
      yield* told.add(await settled);
      if (told.isOver) return;
    }
    yield told.end(stopping.aborted);
  };
}

/** Adds up what was settled, in the order of the lines. */
class Tally {
  #counts: Counts = { lines: 0, accepted: 0, repeated: 0, refused: 0 };
  #stop: { readonly code: string; readonly detail: string } | undefined;
  isOver = false;

  *add(settled: Settled | undefined): Generator<UploadReport> {
    if (settled === undefined) return;
    if (settled.isAway) {
      this.isOver = true;
      yield this.#stopped('INTAKE_UNAVAILABLE', 'Payments cannot be taken in at the moment.');
      return;
    }
    const before = this.#counts;
    this.#counts = {
      lines: before.lines + settled.lines,
      accepted: before.accepted + settled.accepted,
      repeated: before.repeated + settled.repeated,
      refused: before.refused + settled.refused,
    };
    yield* settled.refusals;
    if (this.#counts.refused > mostRefusals) {
      this.isOver = true;
      yield this.#stopped('TOO_MANY_REFUSALS', `More than ${mostRefusals} lines were refused.`);
    } else if (Math.floor(this.#counts.lines / progressEvery) > Math.floor(before.lines / progressEvery)) {
      yield { kind: 'progress', ...this.#counts };
    }
  }

  stopBecause(code: string, detail: string): void {
    this.#stop = { code, detail };
  }

  end(isStopping: boolean): UploadReport {
    if (this.#stop !== undefined) return this.#stopped(this.#stop.code, this.#stop.detail);
    if (isStopping) return this.#stopped('SHUTTING_DOWN', 'This instance stops; another one takes the rest.');
    return { kind: 'done', ...this.#counts };
  }

  #stopped(code: string, detail: string): UploadReport {
    return { kind: 'stopped', code, detail, ...this.#counts };
  }
}

interface Read {
  readonly line: number;
  readonly arrival: Arrival;
}

function readLines(lines: readonly Line[], traceparent: string) {
  const arrivals: Read[] = [];
  const refusals: Refusal[] = [];
  for (const { number: line, ...content } of lines) {
    if (content.kind === 'blank') continue;
    if (content.kind !== 'json') {
      refusals.push({ kind: 'refused', line, ...refusalOf[content.kind] });
      continue;
    }
    const validation = validateRequest(content.value);
    if (validation.kind === 'valid')
      arrivals.push({ line, arrival: { request: validation.request, traceparent } });
    else refusals.push({ kind: 'refused', line, ...validation.reason });
  }
  return { arrivals, refusals };
}

const refusalOf = {
  'not-json': { code: 'NOT_JSON', detail: 'the line is not JSON in UTF-8' },
  'too-long': { code: 'LINE_TOO_LONG', detail: 'the line is longer than any payment' },
} as const;

function sum(
  lines: readonly Line[],
  invalid: readonly Refusal[],
  { arrivals, acceptances }: { arrivals: readonly Read[]; acceptances: readonly Acceptance[] },
): Settled {
  const conflicts = arrivals.flatMap(({ line, arrival: { request } }, i): Refusal[] =>
    acceptances[i]?.kind === 'conflict'
      ? [
          {
            kind: 'refused',
            line,
            paymentId: request.paymentId,
            code: 'PAYMENT_CONFLICT',
            detail: 'another payment has this id',
          },
        ]
      : [],
  );
  const refusals = [...invalid, ...conflicts].toSorted((a, b) => a.line - b.line);
  return {
    lines: lines.length,
    accepted: acceptances.filter(({ kind }) => kind === 'accepted').length,
    repeated: acceptances.filter(({ kind }) => kind === 'repeated').length,
    refused: refusals.length,
    refusals,
    isAway: false,
  };
}

function isUnavailable({ kind }: Acceptance): boolean {
  return kind === 'unavailable';
}
