import { portTable } from '../ports.js';
import { kafkaProperties } from './kafka-settings.js';
import { settings } from './postgres.js';
import { withoutPassword } from './start-servers.js';

describe('the settings of servers', () => {
  it('never let PostgreSQL confirm a commit before its record is written', () => {
    for (const durable of [true, false]) expect(settings(durable)).toContain('synchronous_commit=on');
  });

  it('give up safety from power cuts only where nothing is kept', () => {
    expect(settings(true)).toEqual(expect.arrayContaining(['fsync=on', 'full_page_writes=on']));
    expect(settings(false)).toEqual(expect.arrayContaining(['fsync=off', 'full_page_writes=off']));
  });

  it('can be added to, and not weakened', () => {
    const more = settings(true, { shared_buffers: '1GB', fsync: 'off' });
    expect(more).toEqual(expect.arrayContaining(['shared_buffers=1GB', 'fsync=on']));
    expect(more).not.toContain('fsync=off');
  });

  it('bind everything to this machine alone', () => {
    expect(settings(true)).toContain('listen_addresses=127.0.0.1');
    expect(kafkaProperties(portTable(3000), '/data')).toContain(
      'listeners=PLAINTEXT://127.0.0.1:3592,CONTROLLER://127.0.0.1:3593',
    );
  });
});

describe('an address on the screen', () => {
  it.each([
    ['postgres://me:secret@host:5432/db', 'postgres://me:***@host:5432/db'],
    ['redis://:secret@host', 'redis://:***@host'],
    ['postgres://me@host/db', 'postgres://me@host/db'],
    ['127.0.0.1:9092,127.0.0.1:9093', '127.0.0.1:9092,127.0.0.1:9093'],
  ])('%s is shown as %s', (address, shown) => {
    expect(withoutPassword(address)).toBe(shown);
  });
});
