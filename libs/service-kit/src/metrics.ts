import { Counter, Gauge, Histogram, collectDefaultMetrics } from 'prom-client';
import type { Registry } from 'prom-client';

/** Every metric that the kit itself emits, beside the defaults of prom-client (`process_*`, `nodejs_*`). */
export interface KitMetrics {
  readonly httpRequests: Counter<'method' | 'route' | 'status'>;
  readonly httpDuration: Histogram<'method' | 'route'>;
  readonly httpInFlight: Gauge;
  readonly dependencyUp: Gauge<'dependency'>;
  readonly dependencyLatency: Gauge<'dependency'>;
  readonly workerLastBeat: Gauge<'worker'>;
  readonly workerMaxBeat: Gauge<'worker'>;
  readonly serviceInfo: Gauge<'service' | 'version'>;
}

const made = new WeakMap<Registry, KitMetrics>();

/** Made once a registry: the second call returns the same metrics, since the API and the service share them. */
export function createMetrics(registry: Registry): KitMetrics {
  const metrics = made.get(registry) ?? makeMetrics([registry]);
  made.set(registry, metrics);
  return metrics;
}

function makeMetrics(registers: Registry[]): KitMetrics {
  return {
    httpRequests: new Counter({
      name: 'http_requests_total',
      help: 'Requests answered, by route pattern and status',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    httpDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time until a request was answered',
      labelNames: ['method', 'route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    httpInFlight: new Gauge({ name: 'http_requests_in_flight', help: 'Requests being answered', registers }),
    dependencyUp: new Gauge({
      name: 'dependency_up',
      help: '1 when the last check of the dependency succeeded, else 0',
      labelNames: ['dependency'],
      registers,
    }),
    dependencyLatency: new Gauge({
      name: 'dependency_check_duration_seconds',
      help: 'Duration of the last check of the dependency',
      labelNames: ['dependency'],
      registers,
    }),
    workerLastBeat: new Gauge({
      name: 'worker_last_beat_seconds',
      help: 'Seconds since the worker last made progress',
      labelNames: ['worker'],
      registers,
    }),
    workerMaxBeat: new Gauge({
      name: 'worker_max_beat_seconds',
      help: 'Seconds after which a worker without a beat is unhealthy',
      labelNames: ['worker'],
      registers,
    }),
    serviceInfo: new Gauge({
      name: 'service_info',
      help: 'Always 1; the labels name what runs',
      labelNames: ['service', 'version'],
      registers,
    }),
  };
}

/** Memory, CPU, event loop and garbage collection of the process. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}
