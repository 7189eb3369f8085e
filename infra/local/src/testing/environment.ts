// The Jest environment of integration specs. Each file gets a database of its own, cloned from the migrated template, and
// finds it and the other servers in `process.env`; the database goes when the file ends, unless one of its tests failed.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { createDatabase, dropDatabase, urlOfDatabase } from './databases.js';
import { testNameOf } from './test-name.js';
import { readTestRun, testRunVariable } from './test-run.js';
import type { TestRun } from './test-run.js';

type Configuration = ConstructorParameters<typeof TestEnvironment>;

interface TestEvent {
  readonly name: string;
  readonly test?: { readonly errors: readonly unknown[] };
}

class ServersEnvironment extends TestEnvironment {
  readonly #file: string;
  readonly #run: TestRun;
  readonly #name: string;
  #hasFailed = false;

  constructor(...[configuration, context]: Configuration) {
    super(configuration, context);
    this.#file = context.testPath;
    this.#run = readTestRun(process.env);
    this.#name = testNameOf(this.#file, this.#run.id);
  }

  override async setup(): Promise<void> {
    await super.setup();
    const run = this.#run;
    await createDatabase(run.pgUrl, this.#name, run.template);
    const { env } = this.global.process;
    // Services refuse variables with our prefix that they do not know, and specs hand theirs on to services.
    for (const name of [testRunVariable, 'SLUICE_PORT_BASE']) Reflect.deleteProperty(env, name);
    Object.assign(env, {
      PG_URL: urlOfDatabase(run.pgUrl, this.#name),
      KAFKA_BROKERS: run.kafkaBrokers,
      TEMPORAL_ADDRESS: run.temporalAddress,
      REDIS_URL: run.redisUrl,
      RAIL_URL: run.railUrl,
      SINK_URL: run.sinkUrl,
      TEST_NAME: this.#name,
    });
  }

  handleTestEvent(event: TestEvent): void {
    if (event.name === 'test_done' && event.test && event.test.errors.length > 0) this.#hasFailed = true;
  }

  override async teardown(): Promise<void> {
    if (this.#hasFailed) await writeFile(join(this.#run.keptFolder, this.#name), this.#file);
    else await dropDatabase(this.#run.pgUrl, this.#name);
    await super.teardown();
  }
}

export default ServersEnvironment;
