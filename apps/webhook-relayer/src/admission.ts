import type { Admission, AdmissionRequest, Guards } from './guards.js';
import type { Holds } from './holds.js';
import type { Metrics } from './metrics.js';

export type Admit = (request: AdmissionRequest) => Promise<Admission>;

/** Asks the guards, and remembers a refusal so that they are not asked in vain. */
export function createAdmit(parts: {
  readonly guards: Pick<Guards, 'admit'>;
  readonly holds: Holds;
  readonly metrics: Pick<Metrics, 'refusals' | 'circuitsOpen'>;
}): Admit {
  const { guards, holds, metrics } = parts;
  return async (request) => {
    const admission = await guards.admit(request);
    if (admission.refusal !== undefined) {
      holds.hold(request.subscriptionId, admission.refusal);
      metrics.refusals.inc({ reason: admission.refusal.reason });
      metrics.circuitsOpen.set(holds.count('CIRCUIT_OPEN'));
    }
    return admission;
  };
}
