import { Pool } from 'undici';
import { instant } from './contender.js';
import { configName } from './slot-database.js';

const requestedTime = instant.toISOString();

/** Requests to one slot-assigner, over so many connections that are kept open. */
export interface SlotRequests {
  one(eventId: string): Promise<void>;
  batch(eventIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export function connectSlotRequests(url: string, connections: number): SlotRequests {
  const pool = new Pool(url, { connections, pipelining: 1 });

  async function post(path: string, body: object): Promise<string> {
    const { statusCode, body: answer } = await pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode !== 200) throw new Error(`status ${statusCode}: ${text.slice(0, 300)}`);
    return text;
  }

  return {
    async one(eventId) {
      await post('/api/v1/slots', { eventId, configName, requestedTime });
    },
    async batch(eventIds) {
      const events = eventIds.map((eventId) => ({ eventId, requestedTime }));
      const text = await post('/api/v1/slots/batch', { configName, events });
      if (text.includes('"problem"')) throw new Error(`an event was refused: ${text.slice(0, 300)}`);
    },
    close: () => pool.close(),
  };
}
