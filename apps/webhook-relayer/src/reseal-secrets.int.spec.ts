import { randomBytes } from 'node:crypto';
import { createPgSealedSecrets } from './adapters/pg-sealed-secrets.js';
import { createDatabase } from './adapters/database.js';
import { resealSecrets } from './reseal-secrets.js';
import { createSecretBox } from './secret-box.js';
import { readSecretKeys } from './secret-keys.js';
import { startRelayer } from './testing/relayer.js';

const name = process.env.TEST_NAME ?? 'test';
const oldKey = randomBytes(32);
const newKey = randomBytes(32);
const start = (key: Buffer) =>
  startRelayer({ name, workers: false, variables: { SLUICE_SECRETS_KEY: key.toString('base64') } });

async function storedSecrets(relayer: Awaited<ReturnType<typeof start>>) {
  const { rows } = await relayer.outside.pool.query<{ subscription_id: string; sealed_secret: Buffer }>(
    'SELECT subscription_id, sealed_secret FROM webhook_subscription_secrets ORDER BY subscription_id, version',
  );
  return rows;
}

describe('the rotation of the key that secrets are sealed with', () => {
  it('loses no secret: both keys open, then all is sealed anew, then the old key is not needed', async () => {
    const before = await start(oldKey);
    const shown = new Map<string, string>();
    for (let count = 0; count < 5; count += 1) {
      const wanted = { url: 'https://192.0.43.8/', eventTypes: ['*'] };
      const { body } = await before.call('POST /subscriptions', wanted);
      shown.set(String(body['id']), String(body['secret']));
    }
    await before.close();

    const during = await start(newKey);
    // As the environment gives them to the service and to the command.
    const keys = readSecretKeys({
      SLUICE_SECRETS_KEY: newKey.toString('base64'),
      SLUICE_SECRETS_PREVIOUS_KEYS: `${randomBytes(32).toString('base64')},${oldKey.toString('base64')}`,
    });
    const secrets = createSecretBox(keys, randomBytes);
    const opened = async (open: (sealed: Buffer, owner: string) => Buffer) =>
      new Map(
        (await storedSecrets(during)).map(({ subscription_id, sealed_secret }) => [
          subscription_id,
          `whsec_${open(sealed_secret, subscription_id).toString('base64')}`,
        ]),
      );
    const onlyNew = createSecretBox({ current: newKey }, randomBytes);
    expect(await opened((sealed, owner) => secrets.open(sealed, owner))).toEqual(shown);
    await expect(opened((sealed, owner) => onlyNew.open(sealed, owner))).rejects.toThrow('unknown key');

    const store = createPgSealedSecrets(createDatabase(during.outside.pool));
    expect(await resealSecrets(store, secrets, 2)).toEqual({ wiped: 0, read: 5, resealed: 5, passedOver: 0 });
    expect(await opened((sealed, owner) => onlyNew.open(sealed, owner))).toEqual(shown);
    expect(await resealSecrets(store, secrets, 2)).toMatchObject({ read: 5, resealed: 0 });
    await during.close();
  });

  it('wipes what has expired, and leaves alone what was rotated meanwhile', async () => {
    const relayer = await start(newKey);
    const store = createPgSealedSecrets(createDatabase(relayer.outside.pool));
    const { body } = await relayer.call('POST /subscriptions', {
      url: 'https://192.0.43.8/',
      eventTypes: ['*'],
    });
    await relayer.call(`POST /subscriptions/${String(body['id'])}/rotate-secret`, { overlapSeconds: 0 });
    const { wiped } = await resealSecrets(store, relayer.outside.secrets);
    expect(wiped).toBe(1);
    const [first] = await store.list({ subscriptionId: String(body['id']), version: 1 }, 1);
    if (first === undefined) throw new Error('the new secret is there');
    const sealed = Buffer.from('new');
    expect(await store.replace({ ...first, sealed: Buffer.from('not what is there') }, sealed)).toBe(false);
    await relayer.close();
  });
});
