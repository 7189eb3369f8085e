import { variableRegistry } from './variable.js';
import { apiKeyList, oneOf, port, text, wholeNumber } from './variables.js';

/** The variables that every service has; to be spread into the service's own schema. */
export function serviceVariables(defaults: { httpPort: number; opsPort: number }) {
  return {
    SLUICE_ENV: oneOf(['development', 'production'])
      .default('production')
      .describe('`development` may run without API keys'),
    SLUICE_LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
      .default('info')
      .describe('Least severe log line that is written'),
    SLUICE_HTTP_HOST: text().default('0.0.0.0').describe('Address that both ports listen on'),
    SLUICE_HTTP_PORT: port().default(defaults.httpPort).describe('Port of the API'),
    SLUICE_OPS_PORT: port()
      .default(defaults.opsPort)
      .describe('Port of `/healthz`, `/readyz` and `/metrics`'),
    SLUICE_DRAIN_SECONDS: wholeNumber({ min: 1, max: 3600 })
      .default(25)
      .describe(
        'Time that work in progress has to finish after SIGTERM; 3 s more are for closing connections',
      ),
    SLUICE_API_KEYS: apiKeyList()
      .default([])
      .describe('Callers of the API: a JSON array of `{"id", "sha256", "scopes"}`')
      .register(variableRegistry, { required: 'in production' }),
  };
}

export type ServiceVariables = ReturnType<typeof serviceVariables>;
