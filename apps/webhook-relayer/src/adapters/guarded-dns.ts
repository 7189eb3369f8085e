import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from '../address-policy.js';
import { bareHost, isLiteralAddress } from '../address-policy.js';
import type { AddressCheck } from '../ports.js';
import { systemResolve } from './dns-cache.js';
import type { Resolve } from './dns-cache.js';

/** The host leads to an address that webhooks may not reach. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';
}

/**
 * A lookup that answers only with addresses that may be reached. It sits inside the connection, so that the addresses that
 * were looked at are those that are connected to. One refused address among several refuses them all: a name
 * that points both ways is an attempt to get through on the second try.
 */
export function createGuardedLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        if (!allPermitted(addresses, hostname, policy)) {
          callback(new AddressRefusedError(`${hostname} leads to an address that may not be reached`), '', 0);
          return;
        }
        const fitting = addresses.filter(({ family }) => isWanted(family, options.family));
        const [first] = fitting;
        if (options.all === true) callback(null, fitting);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function isWanted(family: number, wanted: number | string | undefined): boolean {
  return wanted === undefined || wanted === 0 || wanted === family || wanted === `IPv${family}`;
}

function allPermitted(addresses: readonly LookupAddress[], host: string, policy: AddressPolicy): boolean {
  return addresses.length > 0 && addresses.every(({ address }) => policy.permits(address, host));
}

/** A literal address is never looked up, so it is judged before the connection. Throws when it may not be reached. */
export function assertLiteralPermitted(host: string, policy: AddressPolicy): void {
  if (isLiteralAddress(host) && !policy.permits(bareHost(host), host)) {
    throw new AddressRefusedError(`${bareHost(host)} may not be reached`);
  }
}

const CHECK_LIMIT_MS = 3_000;

/** The same judgement when a subscription is made. A name that does not resolve yet may do so later. */
export function createAddressCheck(policy: AddressPolicy, resolve: Resolve = systemResolve): AddressCheck {
  return {
    check: ({ hostname }) =>
      new Promise((settle) => {
        const host = bareHost(hostname);
        const timer = setTimeout(() => settle('unresolved'), CHECK_LIMIT_MS);
        resolve(host)
          .then(
            (addresses) => settle(allPermitted(addresses, host, policy) ? 'permitted' : 'refused'),
            () => settle('unresolved'),
          )
          .finally(() => clearTimeout(timer));
      }),
  };
}
