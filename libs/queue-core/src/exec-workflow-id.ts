/** One id an item for ever: never made from an attempt, a batch or a time, or a retry could start it twice. */
export function execWorkflowId(itemType: string, itemId: string): string {
  return `exec-${itemType.toLowerCase()}-${itemId}`;
}
