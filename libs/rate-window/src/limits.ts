// The values a rate limit may take. The tables check the same bounds.

export const MAX_PER_WINDOW_LIMIT = 1_000_000;
export const WINDOW_SIZE_LIMIT_MS = 24 * 60 * 60 * 1_000;
export const MAX_DELAY_LIMIT_MS = 366 * WINDOW_SIZE_LIMIT_MS;
export const DEFAULT_MAX_DELAY_MS = 7 * WINDOW_SIZE_LIMIT_MS;

/** The most events one call may assign. */
export const GROUP_LIMIT = 1_000;
