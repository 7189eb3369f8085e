// The whole system, started as a person starts it. Needs `npm run build` first.
const preset = require('./jest.preset.cjs');

module.exports = {
  roots: ['<rootDir>/infra/local/e2e'],
  testMatch: ['**/*.e2e.spec.ts'],
  transform: { '\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/infra/local/tsconfig.spec.json' }] },
  moduleNameMapper: preset.moduleNameMapper,
  testEnvironmentOptions: preset.testEnvironmentOptions,
  testEnvironment: 'node',
  maxWorkers: 1,
};
