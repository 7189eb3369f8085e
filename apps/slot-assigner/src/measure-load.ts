import type { SlotLoad } from '@sluice/rate-window';
import { pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import type { RateConfigStore, SlotStore } from './ports.js';

const measureEveryMs = 15_000;

/** Each rate limit is a label: past so many, by name, they have no gauges. */
const MOST_MEASURED = 50;

/** How full a rate limit is. */
export interface Load {
  readonly configName: string;
  /** Slots of the present window by its capacity. */
  readonly fill: number;
  /** How far ahead the last window that holds a slot begins; 0 when none does. */
  readonly furthestSeconds: number;
}

export interface MeasureParts {
  readonly configs: Pick<RateConfigStore, 'listActive'>;
  readonly slots: Pick<SlotStore, 'measure'>;
  readonly onMeasured: (loads: readonly Load[]) => void;
}

/** Refreshes the gauges of the windows. */
export function gaugeWorker(parts: MeasureParts & { readonly log: Logger }): Worker {
  const measure = createMeasureLoad(parts);
  return pollingWorker({
    name: 'window-gauges',
    intervalMs: measureEveryMs,
    log: parts.log,
    step: (signal) => measure(signal).then(() => false),
  });
}

export function createMeasureLoad({ configs, slots, onMeasured }: MeasureParts) {
  return async (signal: AbortSignal): Promise<void> => {
    const loads: Load[] = [];
    for (const config of (await configs.listActive()).slice(0, MOST_MEASURED)) {
      if (signal.aborted) return;
      loads.push(toLoad(config.configName, await slots.measure(config)));
    }
    onMeasured(loads);
  };
}

function toLoad(configName: string, { now, currentWindow, furthestWindow }: SlotLoad): Load {
  const { taken, capacity } = currentWindow;
  // A window that the calendar closes has no capacity; slots from before that calendar make it full.
  const fill = capacity > 0 ? taken / capacity : Math.min(1, taken);
  const aheadMs = furthestWindow === null ? 0 : furthestWindow.getTime() - now.getTime();
  return { configName, fill, furthestSeconds: Math.max(0, aheadMs) / 1_000 };
}
