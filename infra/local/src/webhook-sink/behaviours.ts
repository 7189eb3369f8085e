import { z } from 'zod';
import { controlFields, createControlList } from '../ledger/control-list.js';

export const hookPathSchema = z
  .string()
  .regex(/^\/hooks(\/|$)/, 'begins with /hooks')
  .transform((path) => path.replace(/\/+$/, ''));

/**
 * What the sink answers below a path. The longest path that fits wins, among equal ones the first that is not used up;
 * `times` counts requests. Without any field but `path` the answer is the usual 200.
 */
export const behaviourSchema = z
  .strictObject({
    path: hookPathSchema,
    status: z.int().min(200).max(599).optional(),
    retryAfterSeconds: z.int().min(0).optional(),
    silent: z.boolean().optional(),
    body: z.string().optional(),
    ...controlFields,
  })
  .refine(
    ({ silent, status, retryAfterSeconds, body }) =>
      silent !== true || (status ?? retryAfterSeconds ?? body) === undefined,
    { path: ['silent'], message: 'goes without status, retryAfterSeconds and body' },
  );

export type Behaviour = z.infer<typeof behaviourSchema>;

export function createBehaviours() {
  return createControlList<Behaviour>((a, b) => b.path.length - a.path.length);
}

/** True for the path itself and all below it: `/hooks/a` covers `/hooks/a/b` and not `/hooks/ab`. */
export function covers(path: string, requested: string): boolean {
  return requested === path || requested.startsWith(`${path}/`);
}
