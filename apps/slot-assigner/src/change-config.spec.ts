import { createMemoryStore } from '@sluice/rate-window/testing';
import { createChangeConfig } from './change-config.js';
import type { Notice } from './ports.js';

const change = { configName: 'payments', maxPerWindow: 10, windowSizeMs: 4_000 };

describe('a change of a rate limit', () => {
  it('is announced to all nodes and forgotten here', async () => {
    const { changeConfig, notices, forgotten } = setUp();
    expect(await changeConfig(change, 'ops')).toMatchObject({ kind: 'activated', config: { version: 1 } });
    expect(notices).toEqual([{ kind: 'changed', configName: 'payments' }]);
    expect(forgotten).toEqual(['payments']);
  });

  it('is not announced when nothing changes', async () => {
    const { changeConfig, notices } = setUp();
    await changeConfig(change, 'ops');
    expect(await changeConfig(change, 'ops')).toMatchObject({ kind: 'unchanged' });
    expect(notices).toHaveLength(1);
  });

  it('leaves alone what it does not name', async () => {
    const { changeConfig, store } = setUp();
    const calendar = { timeZone: 'Europe/Berlin', holidays: ['2035-12-25'] };
    await changeConfig({ ...change, maxDelayMs: 86_400_000, spread: 'random', calendar }, 'ops');
    await changeConfig({ ...change, maxPerWindow: 20 }, 'ops');
    expect(await store.findActive('payments')).toMatchObject({
      maxPerWindow: 20,
      maxDelayMs: 86_400_000,
      spread: 'random',
      calendar,
    });
    await changeConfig({ ...change, calendar: null }, 'ops');
    expect(await store.findActive('payments')).toMatchObject({ calendar: null, spread: 'random' });
  });

  it('is made although the other nodes cannot be told, and says so', async () => {
    const { changeConfig, unannounced } = setUp(() => Promise.reject(new Error('away')));
    expect(await changeConfig(change, 'ops')).toMatchObject({ kind: 'activated' });
    expect(unannounced).toEqual(['payments']);
  });
});

function setUp(announce: () => Promise<boolean> = async () => true) {
  const store = createMemoryStore();
  const notices: Notice[] = [];
  const forgotten: string[] = [];
  const unannounced: string[] = [];
  const changeConfig = createChangeConfig({
    store,
    configs: { forget: (configName) => void forgotten.push(configName) },
    announcements: {
      announce: (notice) => {
        notices.push(notice);
        return announce();
      },
    },
    onUnannounced: (configName) => void unannounced.push(configName),
  });
  return { changeConfig, store, notices, forgotten, unannounced };
}
