import { connectOracle, oracleDependency } from './oracle-pool.js';

// The real driver, and a port where nothing listens: no server is needed to see that nothing hangs.
const nowhere = 'oracle://user:secret@127.0.0.1:1/service';

describe('the Oracle pool', () => {
  it('connects when it is first used, fails with the code of the driver, and tries again', async () => {
    const pool = connectOracle({ url: nowhere });
    const first = await pool.getConnection().catch((error: unknown) => error);
    const second = await pool.getConnection().catch((error: unknown) => error);
    expect([first, second]).toEqual([
      expect.objectContaining({ code: expect.stringMatching(/^NJS-/) as string }),
      expect.objectContaining({ code: expect.stringMatching(/^NJS-/) as string }),
    ]);
    await pool.close();
  });

  it('is not ready while Oracle cannot be reached, and closes also when it was never used', async () => {
    const pool = connectOracle({ url: nowhere });
    await expect(oracleDependency(pool).check(AbortSignal.timeout(2_000))).rejects.toMatchObject({
      code: expect.stringMatching(/^NJS-/) as string,
    });
    await pool.close();
    await connectOracle({ url: nowhere }).close();
  });
});
