import { closestName } from './closest-name.js';
import type { ConfigurationProblem } from './configuration-error.js';
import type { EnvironmentRecord } from './read-raw-value.js';

// Kubernetes tells every pod the addresses of all services in its namespace. A service called `sluice-ingest` so
// appears in the environment of its neighbours, under our prefix, and is nobody's typing error.
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Variables with our prefix that the service does not know: most likely a typing error, whose default would act unseen. */
export function unknownVariables(
  environment: EnvironmentRecord,
  known: readonly string[],
  prefix: string,
): ConfigurationProblem[] {
  const inKubernetes = environment['KUBERNETES_SERVICE_HOST'] !== undefined;
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .filter((name) => !(inKubernetes && SERVICE_LINK.test(name)))
    .sort()
    .map((variable) => {
      const meant = closestName(variable, known);
      const hint = meant === undefined ? '' : `, did you mean ${meant}?`;
      return { variable, problem: `not a variable of this service${hint}` };
    });
}
