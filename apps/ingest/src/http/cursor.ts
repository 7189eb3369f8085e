import { z } from 'zod';
import type { PageCursor } from '../ports.js';

const content = z.strictObject({
  at: z.iso.datetime({ precision: 6 }),
  paymentId: z.string().min(1).max(64),
});

/** What callers get is one word that says nothing to them, so that it can change. */
export function writeCursor(cursor: PageCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

export const pageCursor = z
  .string()
  .max(500)
  .transform((text, context): PageCursor => {
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
