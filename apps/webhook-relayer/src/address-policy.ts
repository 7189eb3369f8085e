import ipaddr from 'ipaddr.js';
import type { IPv4, IPv6 } from 'ipaddr.js';

export interface AddressPolicy {
  /** The host is on the allow-list by its name or literal address. */
  allowsHost(host: string): boolean;
  /** The address may be connected to when it stands for the host. */
  permits(address: string, host: string): boolean;
}

/**
 * Webhooks go to the public internet only: an address that a customer chose must not reach the machines beside us, or
 * a cloud's metadata service. `allowed` holds host names, addresses and ranges (10.1.0.0/16) that may be reached all the same.
 */
export function createAddressPolicy(allowed: readonly string[]): AddressPolicy {
  const names = new Set(allowed.map(bareHost));
  const ranges = allowed.filter((entry) => ipaddr.isValidCIDR(entry)).map((entry) => ipaddr.parseCIDR(entry));
  const allowsHost = (host: string): boolean => {
    const address = parseAddress(bareHost(host));
    return (
      names.has(bareHost(host)) || (address !== undefined && ranges.some((range) => inRange(address, range)))
    );
  };
  return {
    allowsHost,
    permits(address, host) {
      const parsed = parseAddress(address);
      return parsed !== undefined && (allowsHost(host) || allowsHost(address) || isPublic(parsed));
    },
  };
}

/** The host as URL and DNS spell it: lower case, without the brackets of IPv6 and the dot of the root. */
export function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

export function isLiteralAddress(host: string): boolean {
  return parseAddress(bareHost(host)) !== undefined;
}

function parseAddress(text: string): IPv4 | IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}

function inRange(address: IPv4 | IPv6, range: [IPv4 | IPv6, number]): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}

const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

function isPublic(address: IPv4 | IPv6): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  if (!(address instanceof ipaddr.IPv6)) return false;
  // Networks without IPv4 reach all of it through this prefix, so the address inside it decides.
  if (address.match(NAT64)) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(12)));
  // Only what has been given out as global unicast, and of that nothing with a special meaning: IPv4 inside IPv6 in all
  // its spellings, local, link-local, tunnels, documentation.
  return address.match(GLOBAL_V6) && address.range() === 'unicast';
}
