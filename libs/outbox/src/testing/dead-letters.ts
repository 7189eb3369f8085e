import { corner, doubtful, executed, refused } from './harness.js';
import type { Corner, CurrentHarness } from './harness.js';

const authority = { actor: 'ada', reason: 'the account was opened again' };
const refusedAndHeld = { ...refused, holds: true } as const;

export function describeDeadLetters(current: CurrentHarness): void {
  async function bury(here: Corner, ...names: string[]): Promise<string[]> {
    await here.enqueue(...names.map((name) => here.entry(`p${name}`, name)));
    for (const claim of await here.claim()) await here.settle(claim, refused);
    return names.map((name) => here.entry('', name).instructionId);
  }

  const redrive = (...instructionIds: string[]) =>
    current().outbox.redrive({ which: { instructionIds }, ...authority });

  describe('redrive', () => {
    it('sends a dead letter again with its old number and key, and a fresh count of tries', async () => {
      const here = corner(current);
      await here.enqueue(here.entry('p', 'a'), here.entry('p', 'b'));
      const first = await here.claimOne();
      await here.settle(first, refused);
      expect(await redrive(first.instructionId)).toEqual({ redriven: [first.instructionId], skipped: [] });
      const again = await here.claimOne();
      expect(again).toMatchObject({
        outboxId: first.outboxId,
        sequenceId: 1,
        idempotencyKey: first.idempotencyKey,
        attemptNo: 2,
        tryNo: 1,
        redriven: true,
      });
      await here.settle(again, executed);
      expect(await here.claimOne()).toMatchObject({ sequenceId: 2, redriven: false });
      const found = await current().outbox.findInstruction(first.instructionId);
      expect(found?.state).toBe('DISPATCHED');
      expect(found?.attempts.map((attempt) => attempt.state)).toEqual([
        'DISPATCHING',
        'FAILED',
        'REDRIVEN',
        'DISPATCHING',
        'DISPATCHED',
      ]);
      expect(found?.attempts[2]).toMatchObject(authority);
    });

    it('opens a participant that had run empty, and waits its turn with one that is busy', async () => {
      const here = corner(current);
      const [a = ''] = await bury(here, 'a');
      await redrive(a);
      await here.settle(await here.claimOne(), refused);
      await here.enqueue(here.entry('pa', 'b'));
      const busy = await here.claimOne();
      await redrive(a);
      expect(await here.claim()).toEqual([]);
      await here.settle(busy, executed);
      expect(await here.claimOne()).toMatchObject({ instructionId: a, sequenceId: 1 });
    });

    it('only says what it would do in a dry run', async () => {
      const here = corner(current);
      const ids = await bury(here, 'a', 'b');
      const filter = { railTypes: [here.railType], errorCode: 'REFUSED' };
      const wouldBe = await current().outbox.redrive({ which: { filter }, dryRun: true, ...authority });
      expect(wouldBe).toEqual({ redriven: ids, skipped: [] });
      expect(await here.claim()).toEqual([]);
      expect(await current().outbox.depth([here.railType])).toMatchObject({ dead: 2 });
    });

    it('takes what the filter names, oldest first and up to the limit', async () => {
      const here = corner(current);
      const ids = await bury(here, 'a', 'b', 'c');
      const filter = { railTypes: [here.railType] };
      const of = (more: object) =>
        current().outbox.redrive({ which: { filter: { ...filter, ...more } }, limit: 2, ...authority });
      expect(await of({ errorCode: 'OTHER' })).toEqual({ redriven: [], skipped: [] });
      expect(await of({ diedBefore: new Date(0) })).toEqual({ redriven: [], skipped: [] });
      expect(await of({ participantId: here.participant('pc') })).toMatchObject({ redriven: [ids[2]] });
      expect(await of({ diedAfter: new Date(0) })).toMatchObject({ redriven: ids.slice(0, 2) });
    });

    it('happens once, however many operators ask for it, and never to what is no dead letter', async () => {
      const here = corner(current);
      const [a = ''] = await bury(here, 'a');
      const answers = await Promise.all(Array.from({ length: 5 }, () => redrive(a, 'ins-nobody')));
      expect(answers.flatMap((one) => one.redriven)).toEqual([a]);
      expect(answers.flatMap((one) => one.skipped).filter((id) => id === a)).toHaveLength(4);
      expect(answers.every((one) => one.skipped.includes('ins-nobody'))).toBe(true);
      await here.settle(await here.claimOne(), executed);
      expect(await here.claim()).toEqual([]);
    });
  });

  describe('a held participant', () => {
    it('goes on when the failure that holds it is redriven, in the old order', async () => {
      const here = corner(current);
      await here.enqueue(here.entry('p', 'a'), here.entry('p', 'b'));
      const first = await here.claimOne();
      await here.settle(first, refusedAndHeld);
      expect(await here.claim()).toEqual([]);
      expect(await current().outbox.findParticipant(here.participant('p'))).toMatchObject({
        state: 'HELD',
        nextSequenceId: 3,
        pending: 1,
        oldestPending: { sequenceId: 2 },
        heldBy: { instructionId: first.instructionId, state: 'FAILED', errorCode: 'REFUSED' },
      });
      await redrive(first.instructionId);
      expect(await here.claimOne()).toMatchObject({ sequenceId: 1 });
    });

    it('goes on without the failure when that is discarded', async () => {
      const here = corner(current);
      await here.enqueue(here.entry('p', 'a'), here.entry('p', 'b'));
      const first = await here.claimOne();
      await here.settle(first, refusedAndHeld);
      const { instructionId } = first;
      const done = await current().outbox.discard({ instructionId, ...authority });
      expect(done).toMatchObject({ kind: 'done', instruction: { state: 'DISCARDED' } });
      expect(await current().outbox.discard({ instructionId, ...authority })).toMatchObject({
        kind: 'refused',
      });
      expect(await redrive(instructionId)).toMatchObject({ redriven: [] });
      expect(await current().outbox.depth([here.railType])).toMatchObject({ dead: 0, heldParticipants: 0 });
      expect(await here.claimOne()).toMatchObject({ sequenceId: 2 });
    });
  });

  describe('resolve', () => {
    async function inDoubt() {
      const here = corner(current);
      await here.enqueue(here.entry('p', 'a'), here.entry('p', 'b'));
      const first = await here.claimOne();
      await here.settle(first, doubtful);
      expect(await here.claim()).toEqual([]);
      return { here, instructionId: first.instructionId };
    }

    it('as executed: the instruction is dispatched, with the reference, and the next one goes', async () => {
      const { here, instructionId } = await inDoubt();
      const resolution = { kind: 'executed', reference: 'R-77' } as const;
      const done = await current().outbox.resolve({ instructionId, resolution, ...authority });
      expect(done).toMatchObject({ kind: 'done', instruction: { state: 'DISPATCHED' } });
      const found = await current().outbox.findInstruction(instructionId);
      const written = { state: 'RESOLVED_EXECUTED', reference: 'R-77', ...authority };
      expect(found?.attempts.at(-1)).toMatchObject(written);
      expect(await here.claimOne()).toMatchObject({ sequenceId: 2 });
    });

    it('as not executed: it is a dead letter that can be redriven, and the next one goes', async () => {
      const { here, instructionId } = await inDoubt();
      const resolution = { kind: 'notExecuted' } as const;
      await current().outbox.resolve({ instructionId, resolution, ...authority });
      expect(await current().outbox.findInstruction(instructionId)).toMatchObject({ state: 'FAILED' });
      await here.settle(await here.claimOne(), executed);
      expect(await redrive(instructionId)).toMatchObject({ redriven: [instructionId] });
    });

    it('by sending it again: it goes before what waited for it', async () => {
      const { here, instructionId } = await inDoubt();
      const resolution = { kind: 'resend' } as const;
      await current().outbox.resolve({ instructionId, resolution, ...authority });
      expect(await here.claimOne()).toMatchObject({ instructionId, sequenceId: 1, redriven: true });
    });

    it('answers once, and not for what is in no doubt or unknown', async () => {
      const { instructionId } = await inDoubt();
      const resolution = { kind: 'executed', reference: 'R' } as const;
      const resolve = (id: string) =>
        current().outbox.resolve({ instructionId: id, resolution, ...authority });
      const answers = await Promise.all([1, 2, 3].map(() => resolve(instructionId)));
      expect(answers.map((one) => one.kind).sort()).toEqual(['done', 'refused', 'refused']);
      expect(await resolve('ins-nobody')).toEqual({ kind: 'notFound' });
    });
  });

  it('lists dead letters page by page', async () => {
    const here = corner(current);
    const ids = await bury(here, 'a', 'b', 'c');
    const filter = { railTypes: [here.railType] };
    const page = (after?: string) =>
      current().outbox.listDeadLetters({ state: 'FAILED', filter, limit: 2, after });
    const first = await page();
    expect(first.deadLetters.map((one) => one.instructionId)).toEqual(ids.slice(0, 2));
    expect(first.deadLetters[0]).toMatchObject({ errorCode: 'REFUSED', holds: false, attemptNo: 1 });
    const second = await page(first.next);
    expect(second.deadLetters.map((one) => one.instructionId)).toEqual(ids.slice(2));
    expect(second.next).toBeUndefined();
    expect(
      (await current().outbox.listDeadLetters({ state: 'IN_DOUBT', filter, limit: 2 })).deadLetters,
    ).toEqual([]);
  });
}
