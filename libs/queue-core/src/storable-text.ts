import { QueueStoreError } from './errors.js';
import type { NewItem } from './ports.js';

const longestText = 1_000;

/**
 * A reason or an error as a store can keep it. Errors come from anywhere: a text that a store refuses would keep the
 * item in a claim that nobody can settle, and one store cannot tell an empty text from none.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').slice(0, longestText).toWellFormed() || 'no reason was given';
}

/** Refuses texts that not every store would give back as they came. */
export function requireTexts(operation: string, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text !== '' && !text.includes('\0')) continue;
    const cause = new Error(`${name} ${text === '' ? 'is empty' : 'contains a NUL character'}`);
    throw new QueueStoreError({ code: 'STORE_REFUSED', operation, cause });
  }
}

export function requireItems(operation: string, items: readonly NewItem[]): void {
  for (const { itemType, itemId, contextJson, initWorkflowId } of items) {
    requireTexts(operation, { itemType, itemId, contextJson, initWorkflowId });
  }
}
