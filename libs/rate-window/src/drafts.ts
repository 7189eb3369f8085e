import type { RateConfig, RateConfigDraft } from './ports.js';

/** The draft with what it leaves out. */
export function completeDraft(draft: RateConfigDraft): Omit<RateConfig, 'version'> {
  const { configName, maxPerWindow, windowSizeMs, maxDelayMs, spread = 'even', calendar = null } = draft;
  return { configName, maxPerWindow, windowSizeMs, maxDelayMs, spread, calendar };
}
