// All integration tests in one run, on one real stack: PostgreSQL, Kafka, Temporal, Redis, the rail simulator and the webhook
// sink. Needs `npm run build` first: the servers are started, and the template database is migrated, by built code.
const preset = require('./jest.preset.cjs');

// kafkajs sets timers in the past on Node 24, which is harmless; workers and the services that specs start inherit this.
process.env.NODE_OPTIONS =
  `${process.env.NODE_OPTIONS ?? ''} --disable-warning=TimeoutNegativeWarning`.trim();

module.exports = {
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/infra/local'],
  testMatch: ['**/src/**/*.int.spec.ts'],
  testPathIgnorePatterns: ['/dist/', '/node_modules/'],
  modulePathIgnorePatterns: ['/dist/'],
  transform: { '\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/tsconfig.base.json' }] },
  moduleNameMapper: preset.moduleNameMapper,
  globalSetup: '<rootDir>/infra/local/dist/testing/global-setup.js',
  globalTeardown: '<rootDir>/infra/local/dist/testing/global-teardown.js',
  testEnvironment: '<rootDir>/infra/local/dist/testing/environment.js',
  testEnvironmentOptions: preset.testEnvironmentOptions,
  maxWorkers: 2,
  testTimeout: 60_000,
};
