import { freeBases, namedPorts, portBaseFrom, portTable } from './ports.js';

describe('the port table', () => {
  it('puts the services and servers where their documents say', () => {
    const table = portTable(3000);
    expect(table.services.ingest).toEqual({ http: 3001, ops: 3101 });
    expect(table.services['webhook-relayer']).toEqual({ http: 3005, ops: 3105 });
    expect([table.postgres, table.kafka, table.temporal, table.redis]).toEqual([3432, 3592, 3233, 3379]);
    expect([table.railSimulator, table.webhookSink]).toEqual([3801, 3802]);
  });

  it('gives no port away twice', () => {
    const servers = Object.entries(portTable(3000)).filter(
      ([name, port]) => name !== 'base' && typeof port === 'number',
    );
    const services = Object.keys(portTable(3000).services);
    expect(namedPorts(portTable(3000)).size).toBe(servers.length + 2 * services.length);
  });

  it('keeps two stacks apart whose bases lie 1000 apart', () => {
    const own = [...namedPorts(portTable(3000)).keys()];
    const neighbours = new Set(namedPorts(portTable(4000)).keys());
    expect(own.filter((port) => neighbours.has(port))).toEqual([]);
  });

  it('keeps free bases below the ports of outgoing connections', () => {
    const lowestEphemeralPort = 32_768;
    const ports = freeBases.flatMap((base) => [...namedPorts(portTable(base)).keys()]);
    expect(Math.max(...ports)).toBeLessThan(lowestEphemeralPort);
  });
});

describe('SLUICE_PORT_BASE', () => {
  it('moves the table', () => {
    expect(portBaseFrom({ SLUICE_PORT_BASE: '7000' })).toBe(7000);
  });

  it.each([{}, { SLUICE_PORT_BASE: '' }])('is 3000 when it is not set: %j', (environment) => {
    expect(portBaseFrom(environment)).toBe(3000);
  });

  it.each(['lots', '80', '65000', '3000.5', '-1', '0x1000'])(
    'is refused as %s, with what was expected',
    (text) => {
      expect(() => portBaseFrom({ SLUICE_PORT_BASE: text })).toThrow(
        `SLUICE_PORT_BASE: expected a whole number 1024..64000, found "${text}"`,
      );
    },
  );
});
