import type { Logger } from '../log/logger.js';
import type { HostProcess } from './host-process.js';
import type { StopRequest } from './stop-request.js';

const SIGNALS = ['SIGTERM', 'SIGINT'];

/** Turns signals and errors that nobody caught into a request to stop. Returns what takes the listeners away again. */
export function watchProcess(host: HostProcess, stop: StopRequest, log: Logger): () => void {
  let signalled = false;
  const onSignal = (signal: string): void => {
    if (signalled) {
      log.fatal({ signal }, 'second signal: exiting at once, whatever is still in progress');
      host.exit(1);
      return;
    }
    signalled = true;
    stop.make({ kind: 'signal', signal });
  };
  const onUncaught = (what: string) => (err: unknown) => {
    log.fatal({ err }, what);
    stop.make({ kind: 'failure', what });
  };
  const listeners: [string, (argument: unknown) => void][] = [
    ...SIGNALS.map((signal): [string, () => void] => [signal, () => onSignal(signal)]),
    ['uncaughtException', onUncaught('an exception was not caught')],
    ['unhandledRejection', onUncaught('a rejection was not handled')],
  ];
  for (const [event, listener] of listeners) host.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) host.off(event, listener);
  };
}
