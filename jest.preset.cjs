// One Jest setting for every project. Types are checked by `nx typecheck`; here TypeScript is only stripped.
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testPathIgnorePatterns: ['\\.int\\.spec\\.ts$', '\\.e2e\\.spec\\.ts$'],
  // Pruned folders hold copies of our own packages.
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: { '\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/tsconfig.spec.json' }] },
  testEnvironmentOptions: { customExportConditions: ['@sluice/source', 'node', 'require', 'default'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};
