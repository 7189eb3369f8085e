import { z } from 'zod';
import { configurationTable } from './configuration-table.js';
import { hostPortList, oneOf, postgresUrl, secondsAsMs, secretText } from './variables.js';

describe('configurationTable', () => {
  it('has a row for each variable: meaning, default as it stands in the environment, required, secret', () => {
    const schema = z.object({
      PG_URL: postgresUrl().describe('Where the rows are'),
      BROKERS: hostPortList().default(['a:1', 'b:2']),
      REST: secondsAsMs({ min: 1, max: 60 }).default(1500).describe('Rest between two rounds'),
      MODE: oneOf(['x', 'y']).optional().describe('x | y'),
      KEY: secretText().describe('Key of the neighbour'),
    });
    expect(configurationTable(schema).split('\n')).toEqual([
      '| Variable | Meaning | Default | Required | Secret |',
      '| --- | --- | --- | --- | --- |',
      '| `PG_URL` | Where the rows are; a URL postgres://user@host:port/database |  | yes | its password, or a file in `PG_URL_FILE` |',
      '| `BROKERS` | host:port, or several with commas between | `a:1,b:2` | no | no |',
      '| `REST` | Rest between two rounds; seconds, a number 1..60 | `1.5` | no | no |',
      '| `MODE` | x \\| y; one of x, y |  | no | no |',
      '| `KEY` | Key of the neighbour; a secret |  | yes | yes, or a file in `KEY_FILE` |',
    ]);
  });
});
