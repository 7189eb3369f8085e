import { IllegalStateError, Runtime } from '@temporalio/worker';
import type { LogLevel, LogMetadata, Logger as TemporalLogger } from '@temporalio/worker';
import type { Logger } from '../log/logger.js';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * One Temporal runtime a process, with its logs in ours and without listeners for signals, which `runService` owns.
 * The SDK remembers the options when it drops an idle runtime and makes a new one.
 */
export function installTemporalRuntime(log: Logger): void {
  try {
    Runtime.install({
      logger: forwardTo(log.child({ component: 'temporal' })),
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
      shutdownSignals: [],
    });
  } catch (error) {
    // Another worker of this process was first, and its runtime serves us all.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

export function forwardTo(log: Logger): TemporalLogger {
  const write = (level: LogLevel, message: string, meta: LogMetadata = {}): void => {
    const { error, ...fields } = meta;
    log[LEVELS[level]](error === undefined ? fields : { ...fields, err: error as unknown }, message);
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}
