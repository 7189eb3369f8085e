import type { PortTable } from '../ports.js';

export const kafkaVersion = '4.1.1';

/** The broker and all that it needs, as Maven sees it. */
export function kafkaPom(): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice.local</groupId>
  <artifactId>kafka</artifactId>
  <version>${kafkaVersion}</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${kafkaVersion}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;
}

/** One node that is broker and controller at once. */
export function kafkaProperties(ports: PortTable, dataFolder: string): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${ports.kafkaController}`,
    listeners: `PLAINTEXT://127.0.0.1:${ports.kafka},CONTROLLER://127.0.0.1:${ports.kafkaController}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${ports.kafka}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataFolder,
    'num.partitions': '3',
    // As in production: a topic that nobody created is a mistake to be seen.
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '3',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '3',
    'group.initial.rebalance.delay.ms': '0',
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
