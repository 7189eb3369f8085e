import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { LocalStackError, messageOf } from '../errors.js';
import { cacheKey, cached } from './cache.js';
import { findOnPath, isAtLeast, isProgram, versionOf } from './find-program.js';
import { kafkaPom, kafkaProperties, kafkaVersion } from './kafka-settings.js';
import { runCommand } from './run-command.js';
import type { Prepared, ServerPart, Surroundings } from './server-part.js';

const oldestVersion = '3.5';
const oldestJava = '17';
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
const installsWithinMs = 600_000;
const formatsWithinMs = 60_000;
const answersWithinMs = 3_000;

export const kafka: ServerPart = {
  name: 'kafka',
  title: 'Kafka',
  variable: 'KAFKA_BROKERS',
  startsWithinMs: 90_000,
  prepare,
  probe,
};

/** How to call the two programs of a Kafka that lies somewhere. */
interface KafkaPrograms {
  readonly origin: string;
  readonly format: readonly [string, ...string[]];
  readonly serve: readonly [string, ...string[]];
}

async function prepare(around: Surroundings): Promise<Prepared> {
  const programs = (await onPath(around)) ?? (await fromMaven(around));
  return {
    origin: programs.origin,
    start: async () => {
      const { run, ports } = around;
      const folder = join(run.folder, 'kafka');
      await mkdir(folder);
      const properties = join(folder, 'server.properties');
      await writeFile(properties, kafkaProperties(ports, join(folder, 'data')));
      const env = { ...around.environment, KAFKA_HEAP_OPTS: '-Xmx512m', LOG_DIR: run.logFolder };
      const [formatter, ...formatArgs] = programs.format;
      await runCommand(run, {
        name: 'kafka-format',
        command: formatter,
        args: [...formatArgs, 'format', '-t', clusterId(), '-c', properties],
        env,
        withinMs: formatsWithinMs,
        failsWith: 'NOT_READY',
      });
      const [command, ...args] = programs.serve;
      const server = run.spawnOwned({ name: 'kafka', command, args: [...args, properties], env, layer: 0 });
      const address = `127.0.0.1:${ports.kafka}`;
      return { address, process: server };
    },
  };
}

async function onPath({ environment }: Surroundings): Promise<KafkaPrograms | undefined> {
  const serve = await findOnPath(['kafka-server-start', 'kafka-server-start.sh'], environment);
  const format = await findOnPath(['kafka-storage', 'kafka-storage.sh'], environment);
  const found = serve && (await versionOf(serve, ['--version'], environment));
  if (!serve || !format || !found || !isAtLeast(found, oldestVersion)) return undefined;
  return { origin: `Kafka ${found} from the PATH`, format: [format], serve: [serve] };
}

async function fromMaven(around: Surroundings): Promise<KafkaPrograms> {
  try {
    const java = await findJava(around);
    const { folder } = await cached(around.cache, cacheKey('kafka', kafkaVersion), async (draft) => {
      around.installing(`Kafka ${kafkaVersion} with Maven, about 45 MB, the first time only`);
      await install(draft, around);
    });
    const jvm = ['-Xmx512m', '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
    const classes = [...jvm, '-cp', join(folder, 'libs', '*')];
    return {
      origin: `Kafka ${kafkaVersion} from the cache`,
      format: [java, ...classes, 'kafka.tools.StorageTool'],
      serve: [java, ...classes, 'kafka.Kafka'],
    };
  } catch (error) {
    throw new LocalStackError('PROGRAM_MISSING', `Kafka cannot be had: ${messageOf(error)}\n${waysOut}`, {
      cause: error,
    });
  }
}

async function findJava({ environment }: Surroundings): Promise<string> {
  const home = environment.JAVA_HOME && join(environment.JAVA_HOME, 'bin', 'java');
  const java = home && (await isProgram(home)) ? home : await findOnPath(['java'], environment);
  const found = java && (await versionOf(java, ['-version'], environment));
  if (java && found && isAtLeast(found, oldestJava)) return java;
  throw new LocalStackError(
    'PROGRAM_MISSING',
    found
      ? `the java on the PATH is ${found}, expected ${oldestJava} or later`
      : 'no java that runs is on the PATH',
  );
}

async function install(folder: string, { run, environment }: Surroundings): Promise<void> {
  const maven = await findOnPath(['mvn'], environment);
  if (!maven) throw new LocalStackError('PROGRAM_MISSING', 'mvn (Maven) is not on the PATH');
  const pom = join(folder, 'pom.xml');
  await writeFile(pom, kafkaPom());
  await runCommand(run, {
    name: 'install-kafka',
    command: maven,
    args: [
      '-B',
      '-q',
      '--strict-checksums',
      '-f',
      pom,
      copyDependencies,
      `-DoutputDirectory=${join(folder, 'libs')}`,
    ],
    env: environment,
    cwd: folder,
    withinMs: installsWithinMs,
    failsWith: 'INSTALL_FAILED',
  });
  await rm(join(folder, 'target'), { recursive: true, force: true });
}

const waysOut = [
  'Ways out:',
  `  put a JDK ${oldestJava} or later and Maven (java and mvn) on the PATH, so that it can be installed and run`,
  `  put kafka-server-start and kafka-storage ${oldestVersion} or later on the PATH`,
  '  set KAFKA_BROKERS to the address of a running broker, such as 127.0.0.1:9092',
].join('\n');

/**
 * An admin call, and one to the coordinator of consumer groups: just after a start the broker answers the first while the
 * second still says that it is loading.
 */
async function probe(brokers: string): Promise<void> {
  const admin = new Kafka({
    clientId: 'sluice-local',
    brokers: brokers.split(',').map((broker) => broker.trim()),
    connectionTimeout: answersWithinMs,
    requestTimeout: answersWithinMs,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  }).admin();
  try {
    await admin.connect();
    await admin.describeCluster();
    await admin.fetchOffsets({ groupId: 'sluice-local-readiness' });
  } finally {
    await admin.disconnect();
  }
}

/** Sixteen random bytes, the first below 128: the text must not begin with a hyphen, or it is read as an option. */
function clusterId(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0);
  return bytes.toString('base64url');
}
