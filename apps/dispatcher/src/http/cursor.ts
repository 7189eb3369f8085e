import { z } from 'zod';
import type { ExhaustedCursor } from '@sluice/queue-core';

const content = z.strictObject({
  at: z.iso.datetime({ precision: 6 }),
  itemId: z.string().min(1).max(200),
});

/** What callers get is one word that says nothing to them, so that it can change. */
export function writeCursor(cursor: ExhaustedCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

export const exhaustedCursor = z
  .string()
  .max(2_000)
  .transform((text, context): ExhaustedCursor => {
    const read = content.safeParse(parse(Buffer.from(text, 'base64url').toString()));
    if (read.success) return read.data;
    context.addIssue({ code: 'custom', message: 'the nextCursor of a page before' });
    return z.NEVER;
  });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
