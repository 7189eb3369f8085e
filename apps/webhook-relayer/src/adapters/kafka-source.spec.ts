import { createLogger } from '@sluice/service-kit';
import type { Kafka } from 'kafkajs';
import { Registry } from 'prom-client';
import { createMetrics } from '../metrics.js';
import { createKafkaSource } from './kafka-source.js';

type Listener = (event: { payload: { restart: boolean; error: Error } }) => void;

/** A client whose consumer does nothing by itself: crashes of the real one cannot be had on demand. */
function createIdleKafka() {
  const listeners = new Map<string, Listener>();
  let started = (): void => undefined;
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  let disconnects = 0;
  const consumer = {
    events: { CRASH: 'crash', FETCH: 'fetch', GROUP_JOIN: 'join' },
    on: (name: string, listener: Listener) => listeners.set(name, listener),
    connect: () => Promise.resolve(),
    subscribe: () => Promise.resolve(),
    run: async () => started(),
    stop: () => Promise.resolve(),
    commitOffsets: () => Promise.resolve(),
    disconnect: async () => void (disconnects += 1),
  };
  const kafka = { consumer: () => consumer } as unknown as Kafka;
  const emit = (name: string, restart = false): void =>
    listeners.get(name)?.({ payload: { restart, error: new Error('crash') } });
  return { kafka, running, emit, disconnects: () => disconnects };
}

function consume(kafka: Kafka, beat: () => void = () => undefined) {
  const log = createLogger({ service: 'test', level: 'silent' });
  const metrics = createMetrics(new Registry());
  const source = createKafkaSource({ kafka, topic: 't', groupId: 'g', metrics, log, random: () => 0 });
  const stop = new AbortController();
  return { stop, consuming: source.consume(() => Promise.resolve(), stop.signal, beat) };
}

describe('createKafkaSource', () => {
  it('throws when the consumer crashed and does not start again, so that the process is restarted', async () => {
    const { kafka, running, emit, disconnects } = createIdleKafka();
    const { consuming } = consume(kafka);
    await running;
    emit('crash', false);
    await expect(consuming).rejects.toMatchObject({ code: 'CONSUMER_STOPPED', cause: { message: 'crash' } });
    expect(disconnects()).toBe(1);
  });

  it('goes on when the consumer crashed and starts again, until it is told to stop', async () => {
    const { kafka, running, emit, disconnects } = createIdleKafka();
    const { consuming, stop } = consume(kafka);
    await running;
    emit('crash', true);
    stop.abort();
    await consuming;
    expect(disconnects()).toBe(1);
  });

  it('beats with every fetch', async () => {
    const { kafka, running, emit } = createIdleKafka();
    let beats = 0;
    const { consuming, stop } = consume(kafka, () => (beats += 1));
    await running;
    emit('fetch');
    emit('fetch');
    stop.abort();
    await consuming;
    expect(beats).toBe(2);
  });
});
