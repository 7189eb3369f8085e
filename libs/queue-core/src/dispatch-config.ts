import { z } from 'zod';

/** No hyphen: `exec-{item type}-{item id}` then names one item only. */
export const itemTypeSchema = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,31}$/, 'capital letters, digits and underscores, at most 32, a letter first');

export const itemIdSchema = z.string().min(1).max(200);

const whole = (min: number, max: number) => z.number().int().min(min).max(max);

/** How one item type leaves the queue. Read in every cycle, so that a change needs no deploy. */
export const dispatchConfigSchema = z.strictObject({
  enabled: z.boolean().describe('The kill switch: false stops new starts and loses nothing.'),
  batchSize: whole(1, 10_000).describe('Most items started in one cycle.'),
  dispatchIntervalSecs: whole(1, 300).describe('Seconds between two cycles.'),
  jitterWindowMs: whole(0, 600_000).describe('Random delay of a start, beyond its scheduled time.'),
  preStartBufferMins: whole(0, 1_440).describe('How long before its time an item may be handed to Temporal.'),
  maxDispatchRetries: whole(1, 100).describe(
    'Failed attempts after which an item is set aside as EXHAUSTED.',
  ),
  staleClaimThresholdMins: whole(1, 1_440).describe('Age at which a claim counts as lost.'),
  execWorkflowType: z.string().min(1).max(200).describe('Workflow type that an item starts.'),
  execTaskQueue: z.string().min(1).max(200).describe('Task queue of that workflow.'),
});

export type DispatchConfig = z.infer<typeof dispatchConfigSchema>;
